"""The checkpoints of a session, and the way back to one of them."""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.agent.conversation import Conversation
from manyhands.model.clock import Instant
from manyhands.model.ids import AgentSessionId, Oid
from manyhands.model.session.life import MOVES


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    turn: int
    at: Instant
    commit: Oid
    before: Oid = Oid("")
    """The checkpoint that the files were at before; empty for the base itself."""
    agent_session: AgentSessionId = AgentSessionId("")
    mark: str = ""
    """The point that the dialogue had reached."""


class Unkept(msgspec.Struct, frozen=True):
    """A turn that has no checkpoint, and why."""

    turn: int
    why: str


class History(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    checkpoints: tuple[Checkpoint, ...] = ()
    stand: Oid = Oid("")
    """The checkpoint that the files were last known to be at."""
    due: int = 0
    """The turn that is over and whose checkpoint is being made."""
    unkept: tuple[Unkept, ...] = ()
    """The last of them."""
    rewinding: str = ""
    """The checkpoint that the files are being brought back to."""
    kept_before: str = ""
    """The checkpoint of what was there before that, once it is made."""

    def checkpoint(self, id: str) -> Checkpoint | None:
        return next((c for c in self.checkpoints if c.id == id), None)


HistoryEvent = (
    e.CheckpointMade
    | e.CheckpointFailed
    | e.RewindStarted
    | e.SessionRewound
    | e.StepFinished
    | e.TurnFinished
    | e.AgentExited
    | e.SessionFailed
    | e.KeeperExited
)
MOST_UNKEPT = 20


def fold(history: History, event: HistoryEvent, main: Conversation) -> History:
    match event:
        case e.CheckpointMade():
            return _made(history, event, main)
        case e.CheckpointFailed():
            return _unkept(history, event.turn, event.error)
        case e.TurnFinished():
            return replace(history, due=event.turn)
        case e.AgentExited() | e.SessionFailed():
            return replace(history, due=main.turn) if main.in_turn else history
        case e.KeeperExited():
            why = "its keeper ended before it was made"
            return _unkept(history, history.due, why) if history.due else history
        case e.RewindStarted():
            return replace(history, rewinding=event.checkpoint)
        case e.SessionRewound():
            return replace(history, rewinding="", kept_before="", stand=event.commit)
        case e.StepFinished():
            over = event.step in MOVES
            return replace(history, rewinding="", kept_before="") if over else history
        case _:
            assert_never(event)


def _unkept(history: History, turn: int, why: str) -> History:
    known = (*history.unkept, Unkept(turn, why))[-MOST_UNKEPT:]
    return replace(history, due=0 if history.due == turn else history.due, unkept=known)


def _made(history: History, event: e.CheckpointMade, main: Conversation) -> History:
    made = Checkpoint(
        id=event.checkpoint,
        turn=event.turn,
        at=event.at,
        commit=event.commit,
        before=history.stand,
        agent_session=main.point.agent_session,
        mark=main.point.mark,
    )
    # A person's own, in the middle of a turn, must not cut the turn's changes in two.
    cuts = main.in_turn and "." in event.checkpoint
    return replace(
        history,
        checkpoints=(*(c for c in history.checkpoints if c.id != made.id), made),
        stand=history.stand if cuts else event.commit,
        due=0 if str(history.due) == made.id else history.due,
        kept_before=made.id if history.rewinding else history.kept_before,
    )
