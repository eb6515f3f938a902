"""Events as the hub and keepers would send them, with only what a test cares about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from manyhands.model import events as e
from manyhands.model.attention.attention import PLAN_OPTIONS, Attention
from manyhands.model.ids import AttentionId, MessageId, Oid, SessionId
from manyhands.model.state import State
from manyhands.store import Decision

AT = "2026-01-31T08:15:30.125Z"
ONE = SessionId("one")
TWO = SessionId("two")


def created(session: SessionId = ONE, title: str = "A task") -> e.SessionCreated:
    return e.SessionCreated(
        session=session,
        at=AT,
        title=title,
        slug=session,
        repo="/repo",
        branch=f"mh/{session}",
        base="main",
        base_commit=Oid("4f" * 20),
        worktree=f"/worktrees/{session}",
        agent="claude",
        kind="claude",
    )


def said(text: str, session: SessionId = ONE) -> e.AgentMessage:
    return e.AgentMessage(session=session, at=AT, message=MessageId(text), text=text)


def said_from(first: int, last: int, session: SessionId = ONE) -> list[e.Fact]:
    return [said(str(number), session) for number in range(first, last + 1)]


def asked(text: str, session: SessionId = ONE) -> e.UserMessage:
    return e.UserMessage(session=session, at=AT, message=MessageId(text), text=text)


def plan(session: SessionId = ONE, id: str = "plan1") -> e.PlanProposed:
    item = Attention(
        id=AttentionId(id),
        session=session,
        kind="plan",
        summary="Two steps",
        detail={"plan": "1. read\n2. write"},
        options=PLAN_OPTIONS,
        raised_at=AT,
    )
    return e.PlanProposed(session=session, at=AT, turn=1, item=item)


def always(*events: e.Fact, result: Any = None) -> Callable[[State], Decision[Any]]:
    return lambda state: Decision(events, result)


def texts(page: Sequence[tuple[int, bytes]]) -> list[str]:
    return [msgspec.json.decode(body).get("text", "") for _, body in page]
