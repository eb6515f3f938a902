"""Prints the path of an OpenSSH server, and brings one where none is found.

The order: the one named by MANYHANDS_SSHD, one that is installed, the distribution's package where
we may install it. The package's own service is never used: tests start a server of their own, with
its own keys, on a port of the loopback.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from find_server import Server

PLACES = ("/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd", "/opt/homebrew/sbin/sshd")
PACKAGE_COMMANDS = (
    ("apt-get", ("apt-get", "update", "-qq")),
    ("apt-get", ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "openssh-server")),
    ("dnf", ("dnf", "install", "-y", "-q", "openssh-server")),
    ("pacman", ("pacman", "-S", "--noconfirm", "--needed", "openssh")),
    ("apk", ("apk", "add", "--quiet", "openssh-server", "openssh-keygen", "openssh-client")),
    ("zypper", ("zypper", "--non-interactive", "--quiet", "install", "openssh-server")),
    ("brew", ("brew", "install", "--quiet", "openssh")),
)


def works(program: Path) -> bool:
    """It knows no harmless question, but an unknown option makes it tell its version."""
    if not program.is_file() or not shutil.which("ssh") or not shutil.which("ssh-keygen"):
        return False
    try:
        asked = [str(program), "-?"]
        done = subprocess.run(asked, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"OpenSSH" in done.stderr


def candidates() -> Iterator[Path]:
    found = shutil.which("sshd")
    if found:
        yield Path(found).resolve()
    yield from map(Path, PLACES)


SERVER = Server(
    "sshd",
    "MANYHANDS_SSHD",
    candidates,
    works,
    PACKAGE_COMMANDS,
    "no OpenSSH server, and none could be brought. Install one, or name it: "
    "MANYHANDS_SSHD=/usr/sbin/sshd",
)


if __name__ == "__main__":
    raise SystemExit(SERVER.main())
