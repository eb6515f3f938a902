"""Prints the path of an OpenSSH server, and brings one where none is found.

The order: the one named by MANYHANDS_SSHD, one that is installed, the distribution's package where
we may install it. The package's own service is never used: tests start a server of their own, with
its own keys, on a port of the loopback.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from find_browser import bounded, privilege

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
PACKAGE_SECONDS = 600
NO_SERVICE = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
"""Debian's package starts a server of its own otherwise."""


def say(text: str) -> None:
    print(f"sshd: {text}", file=sys.stderr, flush=True)


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


def find_installed() -> str | None:
    return next((str(program) for program in candidates() if works(program)), None)


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
    named = os.environ.get("MANYHANDS_SSHD")
    if named:
        if not works(Path(named)):
            say(f"MANYHANDS_SSHD names {named}, which is no working server")
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
            "no OpenSSH server, and none could be brought. Install one, or name it: "
            "MANYHANDS_SSHD=/usr/sbin/sshd"
        )
        return 1
    print(found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
