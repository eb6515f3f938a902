"""Go on with a session that stands still: a dead agent, a failed turn, an unfinished creation."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.contract.sessions import SessionView
from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, require_living, require_session, require_worktree, view_of
from manyhands.hub.core.work import open_job
from manyhands.hub.creation import setup
from manyhands.hub.creation.steps import CREATE, FIRST_STEP, creation
from manyhands.hub.fleet.places import resumption
from manyhands.model import events as e
from manyhands.model.attention.attention import Resolution
from manyhands.model.session.session import Session
from manyhands.model.state import State


async def resume(hub: Hub, ref: str) -> SessionView:
    """Nothing happens to a session that is at work already."""

    s = require_session(hub.state, ref)
    await require_worktree(hub, s)
    await hub.decide(lambda state: _resumed(state, require_session(state, ref)))
    return view_of(hub, s)


def _resumed(state: State, s: Session) -> Iterator[e.AnyEvent]:
    require_living(s)
    if s.main.taken:
        raise NotPossible(f"{s.slug} is taken over", hint=f"`manyhands give {s.slug}` first")
    if failed := _settled(s, "setup_failed"):
        yield from (*failed, *setup.after_answer(s, "retry"))
    if not s.life.ready:
        if s.life.error and open_job(state, CREATE.name, s.id) is None:
            yield from creation(s.id, s.repo, s.life.step or FIRST_STEP)
        return
    died = _settled(s, "agent_died")
    yield from died
    if s.life.error and s.main.undelivered:
        first = s.main.undelivered[0]  # said again under its own id, it is tried again, not doubled
        yield e.UserMessage(session=s.id, message=first.id, text=first.text, by="hub")
    elif _stands_still(s, bool(died)) and (s.main.last_message or s.main.steps):
        yield from (*_settled(s, "limit"), *resumption(s))


def _settled(s: Session, kind: str) -> list[e.AnyEvent]:
    """Items of that kind, as if a person had said *retry*."""
    again = Resolution(options=("retry",))
    asked = [item.id for item in s.inbox.items if item.kind == kind]
    return [e.AttentionResolved(session=s.id, item=id, resolution=again) for id in asked]


def _stands_still(s: Session, died: bool) -> bool:
    """A turn was cut short, or a program in a terminal has ended, which nothing else brings back.

    A turn that came to its end is not begun again.
    """
    ended = s.main.kind == "terminal" and not s.main.agent_pid
    at_rest = s.status == "idle" and (s.main.halted or s.main.broken or ended)
    return bool(died or s.life.error or s.main.limit or at_rest)
