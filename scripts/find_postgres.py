"""Prints the directory of a PostgreSQL server's programs, and brings them where none are found.

The order: the one named by MANYHANDS_POSTGRES, one that is installed, the distribution's package
where we may install it. The package's own service is never used: tests start a server of their
own on a temporary directory.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from find_browser import bounded, privilege

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
PACKAGE_SECONDS = 600
NO_SERVICE = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
"""Debian's package starts a server of its own otherwise."""


def say(text: str) -> None:
    print(f"postgres: {text}", file=sys.stderr, flush=True)


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


def find_installed() -> str | None:
    return next((str(place) for place in candidates() if works(place)), None)


def install_package() -> None:
    before = [] if shutil.which("brew") else privilege()
    if before is None:
        return
    os.environ.update(NO_SERVICE)
    for program, command in PACKAGE_COMMANDS:
        if shutil.which(program):
            say(f"trying the distribution's package: {' '.join(command)}")
            bounded([*before, *command], PACKAGE_SECONDS)


def find() -> str | None:
    named = os.environ.get("MANYHANDS_POSTGRES")
    if named:
        if not works(Path(named)):
            say(f"MANYHANDS_POSTGRES names {named}, which has no working server")
            return None
        return named
    found = find_installed()
    if found is None:
        install_package()
        found = find_installed()
    return found


def main() -> int:
    found = find()
    if found is None:
        say(
            "no PostgreSQL server, and none could be brought. Install one, or name the directory "
            "of its programs: MANYHANDS_POSTGRES=/usr/lib/postgresql/15/bin"
        )
        return 1
    print(found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
