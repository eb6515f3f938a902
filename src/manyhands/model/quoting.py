"""Words of a command that a person may copy: whatever they hold, a shell reads them as they are."""

from __future__ import annotations

import shlex
from pathlib import Path


def quoted(*words: str | Path) -> str:
    return shlex.join(map(str, words))
