"""Where a review looks: the session's worktree, and what it is compared with."""

from __future__ import annotations

import re

from manyhands.errors import BadInput, NotPossible
from manyhands.hub.core import Hub, require_living, require_session, worktree_of
from manyhands.hub.files.checkpoints import kept, require_checkpoint
from manyhands.model.session.session import Session
from manyhands.station.review import Against
from manyhands.station.worktree import require_there

_TURN = re.compile(r"turn:(\d{1,9})")


async def require_worktree(hub: Hub, ref: str) -> Session:
    """The session, if it has a worktree to look at."""
    s = require_session(hub.state, ref)
    require_living(s)
    if not s.life.has_worktree:
        raise NotPossible(f"{s.slug} is not ready yet")
    await require_there(worktree_of(hub, s))
    return s


async def against(hub: Hub, s: Session, name: str, *, ignore_space: bool = False) -> Against:
    """By "base", "review" (the last one), "uncommitted", "viewed" or "turn:N"."""
    if name == "base":
        return Against(name, ignore_space=ignore_space)
    if name == "viewed":
        return Against(name, "viewed", s.review.viewed, ignore_space=ignore_space)
    if name == "uncommitted":
        return Against(name, "head", ignore_space=ignore_space)
    if name == "review":
        if not s.review.checkpoint:
            raise NotPossible(f"{s.slug} was not reviewed yet", hint="send comments, or approve it")
        judged = require_checkpoint(s, s.review.checkpoint)
        return Against(name, "checkpoint", judged.commit, ignore_space=ignore_space)
    if found := _TURN.fullmatch(name):
        made = require_checkpoint(await kept(hub, s.id), str(int(found[1])))
        if not made.before:
            return Against(name, until=made.commit, ignore_space=ignore_space)
        return Against(name, "checkpoint", made.before, made.commit, ignore_space)
    raise BadInput(
        f"{name!r} is nothing to compare with",
        hint="one of: base, review, uncommitted, viewed, turn:N",
    )
