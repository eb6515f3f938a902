"""Prints the directory of a PostgreSQL server's programs, and brings them where none are found.

The order: the one named by MANYHANDS_POSTGRES, one that is installed, the distribution's package
where we may install it. The package's own service is never used: tests start a server of their
own on a temporary directory.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from find_server import Server

NEEDED = ("postgres", "initdb", "psql", "pg_dump")
PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/local/pgsql/bin",
    "/usr/local/opt/postgresql*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)
PACKAGE_COMMANDS = (
    ("apt-get", ("apt-get", "update", "-qq")),
    ("apt-get", ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "postgresql")),
    ("dnf", ("dnf", "install", "-y", "-q", "postgresql-server")),
    ("pacman", ("pacman", "-S", "--noconfirm", "--needed", "postgresql")),
    ("apk", ("apk", "add", "--quiet", "postgresql", "postgresql-client")),
    ("zypper", ("zypper", "--non-interactive", "--quiet", "install", "postgresql-server")),
    ("brew", ("brew", "install", "--quiet", "postgresql@17")),
)


def works(directory: Path) -> bool:
    if not all((directory / name).is_file() for name in NEEDED):
        return False
    try:
        command = [str(directory / "postgres"), "--version"]
        done = subprocess.run(command, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def version(directory: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", str(directory)))


def candidates() -> Iterator[Path]:
    found = shutil.which("postgres")
    if found:
        yield Path(found).resolve().parent
    for place in PLACES:
        yield from sorted(Path("/").glob(place.lstrip("/")), key=version, reverse=True)


SERVER = Server(
    "postgres",
    "MANYHANDS_POSTGRES",
    candidates,
    works,
    PACKAGE_COMMANDS,
    "no PostgreSQL server, and none could be brought. Install one, or name the directory "
    "of its programs: MANYHANDS_POSTGRES=/usr/lib/postgresql/15/bin",
)


if __name__ == "__main__":
    raise SystemExit(SERVER.main())
