"""Where a review looks: the session's worktree, and what it is compared with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import BadInput, NotPossible
from manyhands.git.comparison import Comparison
from manyhands.git.refs import resolve
from manyhands.git.snapshot import load_snapshot
from manyhands.git.viewed import viewed_files
from manyhands.hub.checkpoints import require_checkpoint
from manyhands.hub.names import require_session
from manyhands.model.ids import Oid
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

_TURN = re.compile(r"turn:(\d{1,9})")


def require_place(hub: Hub, ref: str) -> Session:
    """The session, if it has a worktree to look at."""
    s = require_session(hub.state, ref)
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if not s.has_worktree:
        raise NotPossible(f"{s.slug} is not ready yet")
    if not Path(s.worktree).is_dir():
        raise NotPossible(
            f"the worktree {s.worktree} is missing", hint="`manyhands doctor` says what is left"
        )
    return s


def kept_index(hub: Hub, s: Session) -> Path:
    return hub.home.sessions / s.id / "review"


def comparison(hub: Hub, s: Session, against: str, *, ignore_space: bool = False) -> Comparison:
    """`against` is "base", "review" (the last one), "uncommitted", "viewed" or "turn:N"."""
    worktree, kept = Path(s.worktree), kept_index(hub, s)
    new: Oid | None = None
    if against == "base":
        old = s.base_commit
    elif against == "viewed":
        old = viewed_files(worktree, s.reviewing.viewed)
    elif against == "review":
        old = _reviewed(s)
    elif against == "uncommitted":
        old = resolve(worktree, "HEAD") or s.base_commit
    elif found := _TURN.fullmatch(against):
        old, new = _turn(s, found[1])
    else:
        raise BadInput(
            f"{against!r} is nothing to compare with",
            hint="one of: base, review, uncommitted, viewed, turn:N",
        )
    return Comparison(worktree, old, kept, new, ignore_space)


def _reviewed(s: Session) -> Oid:
    if not s.reviewing.checkpoint:
        raise NotPossible(f"{s.slug} was not reviewed yet", hint="send comments, or approve it")
    commit = require_checkpoint(s, s.reviewing.checkpoint).commit
    return load_snapshot(Path(s.repo), commit).parts["display"]


def _turn(s: Session, turn: str) -> tuple[Oid, Oid]:
    repo, made = Path(s.repo), require_checkpoint(s, str(int(turn)))
    old = load_snapshot(repo, made.before).parts["display"] if made.before else s.base_commit
    return old, load_snapshot(repo, made.commit).parts["display"]
