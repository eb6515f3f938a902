"""Wait until sessions are idle, need attention or are archived."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

import msgspec

from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.model.ids import SessionId
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.model.views import SessionView, session_view

Goal = Literal["idle", "attention", "archived"]
Outcome = Literal["reached", "attention", "failed", "timeout"]


class Waited(msgspec.Struct, frozen=True):
    outcome: Outcome
    sessions: tuple[SessionView, ...]


async def wait(hub: Hub, refs: Sequence[str], goal: Goal, timeout: float | None) -> Waited:
    ids = [require_session(hub.state, ref).id for ref in refs]
    outcome: Outcome
    try:
        async with asyncio.timeout(timeout):
            outcome = await hub.waiters.until(lambda state: _outcome(state, ids, goal))
    except TimeoutError:
        outcome = "timeout"
    found = (hub.state.session(id) for id in ids)
    return Waited(outcome, tuple(session_view(s) for s in found if s))


def _outcome(state: State, ids: Sequence[SessionId], goal: Goal) -> Outcome | None:
    sessions = [s for id in ids if (s := state.session(id))]
    if all(_reached(s, goal) for s in sessions):
        return "reached"
    if goal == "idle" and any(s.calls for s in sessions):
        return "attention"
    if goal != "archived" and any(s.status == "failed" for s in sessions):
        return "failed"
    return None


def _reached(s: Session, goal: Goal) -> bool:
    match goal:
        case "idle":
            return s.status in ("idle", "archived") and (s.halted or not s.follow_ups)
        case "attention":
            return bool(s.attention)
        case "archived":
            return s.archived
