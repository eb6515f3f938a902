"""Several refs moved at once, all of them or none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import GitFailed, NotPossible
from manyhands.git.refs import DURABLE
from manyhands.git.runner import Git


@dataclass(frozen=True)
class Move:
    ref: str
    new: str
    """Nothing where it is to be deleted."""
    old: str | None = ""
    """Where it must be for that; None where it must not be, nothing where it does not matter."""

    def line(self) -> bytes:
        ref, width = os.fsencode(self.ref), len(self.new or self.old or "") or 40
        old = b"0" * width if self.old is None else self.old.encode()
        if not self.new:
            return b"delete %b\0%b\0" % (ref, old)
        return b"update %b\0%b\0%b\0" % (ref, self.new.encode(), old)


def move_refs(git: Git, moves: Iterable[Move], reason: str = "") -> None:
    """Through HEAD where that is the name, so that both logs tell of it."""
    lines = b"".join(move.line() for move in moves)
    if not lines:
        return
    message = ("-m", reason) if reason else ()
    try:
        git.having(DURABLE).run("update-ref", *message, "--stdin", "-z", stdin=lines)
    except GitFailed as error:
        raise NotPossible(f"a ref moved meanwhile, so none was moved: {error.stderr}") from error


def move_here(worktree: Path, moves: Iterable[Move], reason: str = "") -> None:
    move_refs(Git(worktree), moves, reason)
