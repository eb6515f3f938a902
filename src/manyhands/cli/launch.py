"""Programs of the user's own: one with a window is let go, one on the terminal takes our place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from manyhands.config import Home, child_environment
from manyhands.errors import ManyhandsError
from manyhands.process.detach import start_detached

DESKTOP = (
    *("DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY", "DESKTOP_SESSION", "BROWSER"),
    *("XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS"),
    "VSCODE_IPC_HOOK_CLI",
)
# The program itself says no line that would mean "ready", so the shell does before it becomes it.
_LET_GO = 'echo started; exec "$@" >&2'


def launch(home: Home, argv: Sequence[str]) -> None:
    """Start a program that outlives us; what it says goes to a log."""
    command = ["/bin/sh", "-c", _LET_GO, "sh", *argv]
    env = child_environment(passed=DESKTOP)
    start_detached(command, env=env, log=home.logs / "programs.log")


def become(argv: Sequence[str], cwd: Path) -> NoReturn:
    """Hand the terminal over for good: the program's end is ours."""
    try:
        os.chdir(cwd)
        os.execvp(argv[0], list(argv))
    except OSError as error:
        raise ManyhandsError(f"{argv[0]} could not be started: {error.strerror}") from error
