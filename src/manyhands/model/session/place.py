"""What a session works with: its place, or else why and since when it waits, and its keeper."""

from __future__ import annotations

from typing import Literal, assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.agent.conversation import Conversations, any_in_turn
from manyhands.model.clock import Instant
from manyhands.model.ids import MAIN

KeeperState = Literal["none", "live", "unreachable"]


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    granted: bool = False
    reason: str = ""
    queued_at: Instant = ""


PlaceEvent = (
    e.SessionQueued
    | e.PlaceGranted
    | e.UserMessage
    | e.AgentMessage
    | e.ToolCalled
    | e.AgentRetried
    | e.AgentExited
    | e.TurnStarted
    | e.TurnFinished
    | e.SessionFailed
    | e.SessionArchived
    | e.KeeperUnreachable
    | e.KeeperReached
)


def fold_place(
    place: Place, event: PlaceEvent, before: Conversations, after: Conversations
) -> Place:
    """`before` and `after` are the session's conversations around the event."""
    is_main = event.conversation == MAIN
    match event:
        case e.AgentMessage() | e.ToolCalled():
            over = place.reason and is_main and before[MAIN].in_turn
            return replace(place, reason="") if over else place
        case e.UserMessage():
            return place if before[MAIN].undelivered else replace(place, queued_at=event.at)
        case e.TurnStarted():
            return replace(place, granted=True)
        case e.TurnFinished() | e.AgentExited():
            reason = "" if is_main else place.reason
            return replace(place, granted=any_in_turn(after), reason=reason)
        case e.SessionFailed():
            return replace(place, granted=not is_main and any_in_turn(after))
        case e.SessionArchived():
            return replace(place, granted=False)
        case e.PlaceGranted():
            return replace(place, granted=True, reason="")
        case e.KeeperReached():
            return replace(place, reason="")
        case e.SessionQueued() | e.KeeperUnreachable():
            return replace(place, reason=event.reason)
        case e.AgentRetried():
            return replace(place, reason=event.text) if is_main else place
        case _:
            assert_never(event)


class KeeperLife(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    epoch: int = 0
    state: KeeperState = "none"
    stillborn: int = 0
    """Keepers that ended, one after the other, before an agent took the waiting message."""


KeeperEvent = e.KeeperEvent | e.UserMessage


def fold_keeper(keeper: KeeperLife, event: KeeperEvent, waits: bool) -> KeeperLife:
    """`waits`: there is a message that the agent has not taken."""
    match event:
        case e.UserMessage():
            return replace(keeper, stillborn=0) if keeper.stillborn else keeper
        case e.KeeperStarted():
            return replace(keeper, epoch=event.epoch, state="live")
        case e.KeeperExited():
            if event.epoch != keeper.epoch:
                return keeper
            return replace(keeper, state="none", stillborn=keeper.stillborn + 1 if waits else 0)
        case e.KeeperUnreachable():
            return replace(keeper, state="unreachable")
        case e.KeeperReached():
            return replace(keeper, state="live")
        case _:
            assert_never(event)
