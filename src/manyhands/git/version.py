"""Which git this machine has, and whether it can do what we ask of it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.git.runner import Git

OLDEST = (2, 38)
FIX = "install git 2.38 or newer: older ones cannot forecast merges"


class GitVersion(msgspec.Struct, frozen=True):
    ok: bool
    detail: str
    """What it says of itself, or why it cannot."""
    fix: str = ""


def load_git_version() -> GitVersion:
    try:
        said = Git(Path("/"), hardened=False).run("version").line
    except ManyhandsError as error:
        return GitVersion(False, error.message, FIX)
    numbers = re.search(r"(\d+)\.(\d+)", said)
    new_enough = numbers is not None and (int(numbers[1]), int(numbers[2])) >= OLDEST
    return GitVersion(new_enough, said, "" if new_enough else FIX)
