"""The person's verdict on a session's changes: given on one tree, and gone with it."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git.comparison import load_tree
from manyhands.git.snapshot import load_snapshot
from manyhands.hub.checkpoints import make_checkpoint
from manyhands.hub.names import require_session
from manyhands.hub.review_place import kept_index, require_place
from manyhands.model import review_events as r
from manyhands.model.clock import now
from manyhands.model.events import DiffChanged, SessionRewound
from manyhands.model.ids import Oid, SessionId
from manyhands.model.review_events import Verdict
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.model.views import SessionView, session_view
from manyhands.store import Batch, Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)


class Judged(msgspec.Struct, frozen=True):
    """A state that is kept for good: the tree, and the checkpoint that holds it."""

    tree: Oid
    checkpoint: str


async def keep_judged(hub: Hub, s: Session, seen: str = "") -> Judged:
    """Keep what is there; refuse where a person has `seen` something else."""
    made = await make_checkpoint(hub, s.id)
    snapshot = await asyncio.to_thread(load_snapshot, Path(s.repo), made.commit)
    tree = snapshot.parts["display"]
    if seen and seen != tree:
        raise NotPossible(
            f"the files of {s.slug} changed while you looked at them",
            hint="look at what changed, then judge again",
        )
    return Judged(tree, made.id)


async def give_verdict(hub: Hub, ref: str, verdict: Verdict, *, tree: str = "") -> SessionView:
    """`tree` is what the person has seen; empty for what is there now."""
    s = require_place(hub, ref)
    judged = await keep_judged(hub, s, tree)
    given = r.VerdictGiven(
        session=s.id,
        at=now(),
        turn=s.turn,
        verdict=verdict,
        tree=judged.tree,
        checkpoint=judged.checkpoint,
    )
    await hub.record(given)
    await _compare(hub, s.id)
    return session_view(require_session(hub.state, s.id))


async def withdraw_verdict(hub: Hub, ref: str) -> SessionView:
    s = require_session(hub.state, ref)
    if s.review != "none":
        await hub.record(r.VerdictLapsed(session=s.id, at=now(), turn=s.turn))
    return session_view(require_session(hub.state, s.id))


async def notice_change(hub: Hub, session: SessionId, tree: Oid) -> None:
    """Let the verdict lapse where the worktree holds another tree than was judged."""

    def decide(state: State) -> Decision[None]:
        s = require_session(state, session)
        if s.review == "none" or s.reviewing.tree == tree:
            return Decision((), None)
        return Decision((r.VerdictLapsed(session=s.id, at=now(), turn=s.turn, tree=tree),), None)

    s = hub.state.session(session)
    if s is not None and s.review != "none" and s.reviewing.tree != tree:
        await hub.write(decide)


async def _compare(hub: Hub, session: SessionId) -> None:
    s = hub.state.session(session)
    if s is None or s.review == "none" or s.archived or not Path(s.worktree).is_dir():
        return
    tree = await asyncio.to_thread(load_tree, Path(s.worktree), kept_index(hub, s))
    await notice_change(hub, session, tree)


class Verdicts:
    """Compares a judged session's files with its verdict whenever they may have changed."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._due: set[SessionId] = set()
        self._looking: set[SessionId] = set()

    def committed(self, batch: Batch) -> None:
        for event in batch.events:
            if isinstance(event, DiffChanged | SessionRewound):
                self._consider(event.session)

    def _consider(self, session: SessionId) -> None:
        s = self._hub.state.session(session)
        if s is None or s.review == "none":
            return
        self._due.add(session)
        if session not in self._looking:
            self._looking.add(session)
            self._hub.fleet.spawn(self._look(session))

    async def _look(self, session: SessionId) -> None:
        try:
            while session in self._due:
                self._due.discard(session)
                await _compare(self._hub, session)
        except (ManyhandsError, OSError) as error:
            log.info("whether the verdict on %s still holds cannot be told: %s", session, error)
        finally:
            self._looking.discard(session)
