"""Prints the path of bubblewrap, and brings it where it is not found.

The order: the one named by MANYHANDS_BUBBLEWRAP, one that is installed, the distribution's package
where we may install it. Elsewhere than on Linux there is none, and boxes are made by other means.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from find_server import Server

PACKAGE_COMMANDS = (
    ("apt-get", ("apt-get", "update", "-qq")),
    ("apt-get", ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "bubblewrap")),
    ("dnf", ("dnf", "install", "-y", "-q", "bubblewrap")),
    ("pacman", ("pacman", "-S", "--noconfirm", "--needed", "bubblewrap")),
    ("apk", ("apk", "add", "--quiet", "bubblewrap")),
    ("zypper", ("zypper", "--non-interactive", "--quiet", "install", "bubblewrap")),
)


def works(program: Path) -> bool:
    try:
        asked = [str(program), "--version"]
        done = subprocess.run(asked, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"bubblewrap" in done.stdout


def candidates() -> Iterator[Path]:
    found = shutil.which("bwrap")
    if found:
        yield Path(found).resolve()


SERVER = Server(
    "bubblewrap",
    "MANYHANDS_BUBBLEWRAP",
    candidates,
    works,
    PACKAGE_COMMANDS,
    "no bubblewrap, and none could be brought. Install it: the package is called so everywhere",
)


if __name__ == "__main__":
    raise SystemExit(SERVER.main() if sys.platform == "linux" else 0)
