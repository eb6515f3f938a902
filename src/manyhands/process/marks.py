"""Processes that sessions of a home started, by the marks in their environment."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from manyhands.process.identity import Identity, environments, identify


@dataclass(frozen=True)
class Marked:
    session: str
    identity: Identity
    name: str


def marked_processes(worktrees: Path) -> list[Marked]:
    """Those whose session works below `worktrees`; never ourselves."""
    import psutil

    found = []
    for pid, variables in environments():
        said = dict(v.split("=", 1) for v in variables if v.startswith("MANYHANDS_") and "=" in v)
        session, place = said.get("MANYHANDS_SESSION"), said.get("MANYHANDS_WORKTREE", "")
        if not session or pid == os.getpid() or not Path(place).is_relative_to(worktrees):
            continue
        identity = identify(pid)
        if identity is not None:
            with suppress(psutil.Error):  # it may end meanwhile
                found.append(Marked(session, identity, psutil.Process(pid).name()))
    return found
