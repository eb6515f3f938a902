"""Finds mistral-vibe for the tests, and installs it where a Python that it needs is found.

It wants Python 3.12 or later, which Manyhands itself does not: where there is none, it is not
available, and whoever asks is told so.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import find_agents
from filelock import FileLock

PACKAGE = "mistral-vibe==3.0.2"
NEEDED = (3, 12)
USUAL = (
    "~/.pyenv/versions/3.1[2-9]*/bin/python3",
    "~/.local/share/uv/python/cpython-3.1[2-9]*/bin/python3",
    "/opt/homebrew/bin/python3.1[2-9]",
    "/usr/local/bin/python3.1[2-9]",
    "/usr/bin/python3.1[2-9]",
)
PROBE = f"import sys, venv, ensurepip; sys.exit(sys.version_info < {NEEDED})"


class NotAvailable(Exception):
    """It cannot be had here; the message says why."""


def place() -> Path:
    return find_agents.cache() / PACKAGE.replace("==", "-")


def program() -> Path:
    return place() / "bin" / "vibe-acp"


def find() -> Path:
    """Its program."""
    place().parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{place()}.lock"):
        if not program().exists():
            install(find_python())
    return program()


def find_python() -> str:
    found = next(filter(is_usable, candidates()), None)
    if found is None:
        raise NotAvailable("mistral-vibe needs Python 3.12 or later, and none was found")
    return found


def candidates() -> Iterator[str]:
    yield sys.executable
    for minor in (12, 13, 14):
        if found := shutil.which(f"python3.{minor}"):
            yield found
    # By the user database: tests move HOME before they ask.
    home = pwd.getpwuid(os.getuid()).pw_dir
    for pattern in USUAL:
        top, _, rest = pattern.replace("~", home, 1)[1:].partition("/")
        yield from sorted(map(str, Path("/", top).glob(rest)))


def is_usable(python: str) -> bool:
    """A shim may stand for a version that is not there."""
    try:
        tried = subprocess.run(
            [python, "-c", PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


def install(python: str) -> None:
    """Whole or not at all; a virtual environment cannot be moved, so its mark is its program."""
    find_agents.say(f"installing {PACKAGE}")
    shutil.rmtree(place(), ignore_errors=True)
    run([python, "-m", "venv", str(place())])
    inside = str(place() / "bin" / "python")
    run([inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", PACKAGE])


def run(words: list[str]) -> None:
    """However long it takes: pip itself gives up on a network that does not answer."""
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        shutil.rmtree(place(), ignore_errors=True)
        lines = done.stderr.strip().splitlines() or ["it gave no reason"]
        raise NotAvailable(f"{PACKAGE} could not be installed: {lines[-1]}")


def main() -> int:
    try:
        print(find())
    except NotAvailable as problem:
        find_agents.say(f"not available: {problem}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
