"""A program of the user's own on the terminal: it takes our place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from manyhands.errors import ManyhandsError


def become(argv: Sequence[str], cwd: Path) -> NoReturn:
    """Hand the terminal over for good: the program's end is ours."""
    try:
        os.chdir(cwd)
        os.execvp(argv[0], list(argv))
    except OSError as error:
        raise ManyhandsError(f"{argv[0]} could not be started: {error.strerror}") from error
