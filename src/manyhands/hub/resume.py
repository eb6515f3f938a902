"""Go on with a session that stands still: a dead agent, a failed turn, an unfinished creation."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.errors import NotPossible
from manyhands.hub import creation, setup
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session, require_worktree
from manyhands.hub.places import resumption
from manyhands.model import events as e
from manyhands.model.attention import Resolution
from manyhands.model.clock import now
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.model.views import SessionView, session_view
from manyhands.store import Decision


async def resume(hub: Hub, ref: str) -> SessionView:
    """Nothing happens to a session that is at work already."""

    def decide(state: State) -> Decision[None]:
        s = require_session(state, ref)
        if s.archived:
            raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
        require_worktree(s)
        return Decision(tuple(_resumed(s)), None)

    await hub.write(decide)
    return session_view(require_session(hub.state, ref))


def _resumed(s: Session) -> Iterator[e.AnyEvent]:
    at = now()
    for item in s.attention:
        if item.kind == "setup_failed":
            again = Resolution(options=("retry",))
            yield e.AttentionResolved(session=s.id, at=at, item=item.id, resolution=again)
            yield from setup.after_answer(s, "retry", at)
    if not s.ready:
        if s.error:
            yield e.StepStarted(session=s.id, at=at, step=s.step or creation.FIRST_STEP)
        return
    died = [i for i in s.attention if i.kind == "agent_died"]
    for item in died:
        moot = Resolution(options=("retry",))
        yield e.AttentionResolved(session=s.id, at=at, item=item.id, resolution=moot)
    if s.error and s.undelivered:
        first = s.undelivered[0]  # said again under its own id, it is tried again, not doubled
        yield e.UserMessage(session=s.id, at=at, message=first.id, text=first.text, by="hub")
    elif _stands_still(s, bool(died)) and (s.last_message or s.steps):
        for item in s.attention:
            if item.kind == "limit":
                again = Resolution(options=("retry",))
                yield e.AttentionResolved(session=s.id, at=at, item=item.id, resolution=again)
        yield from resumption(s, at)


def _stands_still(s: Session, died: bool) -> bool:
    """A turn was cut short, or a program in a terminal has ended, which nothing else brings back.

    A turn that came to its end is not begun again.
    """
    ended = s.kind == "terminal" and not s.agent_pid
    at_rest = s.status == "idle" and (s.halted or s.broken or ended)
    return bool(died or s.error or s.limit or at_rest)
