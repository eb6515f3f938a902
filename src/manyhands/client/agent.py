"""Whether this process is an agent's: then it is the agent that asks, and no person."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from manyhands.config import Home, variable
from manyhands.process.lineage import kept_session, session_behind


def own_session(home: Home) -> str:
    """The session of this home whose agent, setup or checks run us; empty for a person."""
    mark = variable("MANYHANDS_SESSION")
    ours = mark and is_session(home, mark)
    return mark if ours else session_that_runs(home.root, home.run, os.getpid())


@cache
def session_that_runs(root: Path, run: Path, pid: int) -> str:
    home = Home(root)
    return session_behind(
        pid, lambda mark: is_session(home, mark), lambda one: kept_session(run, one)
    )


def is_session(home: Home, mark: str) -> bool:
    worktree = Path(variable("MANYHANDS_WORKTREE") or "/")
    return (home.sessions / mark).is_dir() or worktree.is_relative_to(home.worktrees)
