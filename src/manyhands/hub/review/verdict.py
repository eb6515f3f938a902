"""The person's verdict on a session's changes: given on one tree, and gone with it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import msgspec

from manyhands.contract.sessions import SessionView
from manyhands.errors import ManyhandsError, NotPossible
from manyhands.hub.core import Hub, Reactor, Rounds, require_session, view_of, worktree_of
from manyhands.hub.files.checkpoints import make_checkpoint
from manyhands.hub.review.against import require_worktree
from manyhands.model.events import DiffChanged, SessionRewound
from manyhands.model.ids import Oid, SessionId
from manyhands.model.review import events as r
from manyhands.model.review.events import Verdict
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station.checkpoints import load_tree_of
from manyhands.station.review import load_tree

log = logging.getLogger(__name__)


class Judged(msgspec.Struct, frozen=True):
    """A state that is kept for good: the tree, and the checkpoint that holds it."""

    tree: Oid
    checkpoint: str


async def keep_judged(hub: Hub, s: Session, seen: str = "") -> Judged:
    """Keep what is there; refuse where a person has `seen` something else."""
    made = await make_checkpoint(hub, s.id)
    tree = await load_tree_of(worktree_of(hub, s), made.commit)
    if seen and seen != tree:
        raise NotPossible(
            f"the files of {s.slug} changed while you looked at them",
            hint="look at what changed, then judge again",
        )
    return Judged(tree, made.id)


async def give_verdict(hub: Hub, ref: str, verdict: Verdict, *, tree: str = "") -> SessionView:
    """`tree` is what the person has seen; empty for what is there now."""
    s = await require_worktree(hub, ref)
    judged = await keep_judged(hub, s, tree)
    given = r.VerdictGiven(
        session=s.id,
        turn=s.main.turn,
        verdict=verdict,
        tree=judged.tree,
        checkpoint=judged.checkpoint,
    )
    await hub.record(given)
    await _compare(hub, s.id)
    return view_of(hub, s)


async def withdraw_verdict(hub: Hub, ref: str) -> SessionView:
    s = require_session(hub.state, ref)
    if s.review.verdict != "none":
        await hub.record(r.VerdictLapsed(session=s.id, turn=s.main.turn))
    return view_of(hub, s)


async def notice_change(hub: Hub, session: SessionId, tree: Oid) -> None:
    """Let the verdict lapse where the worktree holds another tree than was judged."""

    def lapsed(state: State) -> Iterator[r.ReviewEvent]:
        s = require_session(state, session)
        if s.review.verdict != "none" and s.review.tree != tree:
            yield r.VerdictLapsed(session=s.id, turn=s.main.turn, tree=tree)

    if any(lapsed(hub.state)):
        await hub.decide(lapsed)


async def _compare(hub: Hub, session: SessionId) -> None:
    s = hub.state.session(session)
    if s is None or s.review.verdict == "none" or s.life.archived:
        return
    tree = await load_tree(worktree_of(hub, s))
    if tree is not None:
        await notice_change(hub, session, tree)


class Verdicts(Reactor):
    """Compares a judged session's files with its verdict whenever they may have changed."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        rounds = Rounds(hub, self._is_judged, self._check)
        hub.on(DiffChanged, lambda event: rounds.consider(event.session))
        hub.on(SessionRewound, lambda event: rounds.consider(event.session))

    def _is_judged(self, session: SessionId) -> bool:
        s = self._hub.state.session(session)
        return s is not None and s.review.verdict != "none"

    async def _check(self, session: SessionId) -> None:
        try:
            await _compare(self._hub, session)
        except (ManyhandsError, OSError) as error:
            log.info("whether the verdict on %s still holds cannot be told: %s", session, error)
