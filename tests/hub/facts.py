"""States as the log would make them, built from events with only what a test cares about."""

from __future__ import annotations

from manyhands.config import Defaults, Limits, Settings
from manyhands.hub.fleet.places import consequences
from manyhands.model import events as e
from manyhands.model.attention.attention import PERMISSION_OPTIONS, Attention
from manyhands.model.ids import AttentionId, MessageId, Oid, SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import State

AT = "2026-01-31T08:15:30.125Z"


def at(second: int) -> str:
    return f"2026-01-31T08:{second // 60:02d}:{second % 60:02d}.000Z"


def settings(working: int = 1, *, ask: bool = False) -> Settings:
    resume = Defaults(resume="ask") if ask else Defaults()
    return Settings(limits=Limits(working=working), defaults=resume)


def created(session: str, *, slug: str = "", when: str = AT) -> e.SessionCreated:
    return e.SessionCreated(
        session=SessionId(session),
        at=when,
        title=slug or session,
        slug=slug or session,
        repo="/repo",
        branch=f"mh/{session}",
        base="main",
        base_commit=Oid("4f" * 20),
        worktree=f"/worktrees/{session}",
        agent="claude",
        kind="claude",
    )


def ready(session: str) -> list[e.AnyEvent]:
    return [created(session), e.SessionReady(session=SessionId(session), at=AT)]


def said(session: str, message: str, when: str = AT) -> e.UserMessage:
    return e.UserMessage(
        session=SessionId(session), at=when, message=MessageId(message), text=f"do {message}"
    )


def follow_up(session: str, message: str) -> e.FollowUpAdded:
    return e.FollowUpAdded(
        session=SessionId(session), at=AT, message=MessageId(message), text=f"then {message}"
    )


def turn(session: str, number: int, *messages: str) -> list[e.AnyEvent]:
    """A turn begins, and the agent has been given these messages."""
    id = SessionId(session)
    given = [e.MessageDelivered(session=id, at=AT, message=MessageId(m)) for m in messages]
    return [e.TurnStarted(session=id, at=AT, turn=number), *given]


def finished(session: str, outcome: e.Outcome = "done") -> e.TurnFinished:
    return e.TurnFinished(session=SessionId(session), at=AT, outcome=outcome)


def step(session: str) -> e.AgentMessage:
    return e.AgentMessage(session=SessionId(session), at=AT, message=MessageId("m"), text="so")


def died(session: str) -> e.AgentExited:
    return e.AgentExited(session=SessionId(session), at=AT, reason="killed")


def permission(session: str, id: str = "p1") -> e.PermissionRequested:
    item = Attention(
        id=AttentionId(id),
        session=SessionId(session),
        kind="permission",
        summary="Write a.py",
        options=PERMISSION_OPTIONS,
        raised_at=AT,
    )
    return e.PermissionRequested(session=SessionId(session), at=AT, item=item)


class World:
    """A state to which events happen, each time with all that follows from them."""

    def __init__(self, working: int = 1, *, ask: bool = False) -> None:
        self.state = State()
        self.settings = settings(working, ask=ask)

    def happens(self, *events: e.AnyEvent) -> list[e.AnyEvent]:
        """What followed."""
        for event in events:
            self.state.apply(event)
        following = consequences(self.state, self.settings, AT)
        for event in following:
            self.state.apply(event)
        return following

    def session(self, id: str) -> Session:
        found = self.state.session(SessionId(id))
        assert found is not None
        return found
