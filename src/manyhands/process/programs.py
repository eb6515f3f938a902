"""Programs of the user's own with a window: started and let go."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.config import DESKTOP, Home, child_environment
from manyhands.process.detach import start_detached

# The program itself says no line that would mean "ready", so the shell does before it becomes it.
_LET_GO = 'echo started; exec "$@" >&2'


def launch(home: Home, argv: Sequence[str]) -> None:
    """Start a program that outlives us; what it says goes to a log."""
    command = ["/bin/sh", "-c", _LET_GO, "sh", *argv]
    env = child_environment(passed=DESKTOP)
    start_detached(command, env=env, log=home.logs / "programs.log")
