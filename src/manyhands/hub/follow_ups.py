"""Follow-ups that wait for the turn's end: listed in order, edited and deleted while they wait."""

from __future__ import annotations

from manyhands.errors import NotFound
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.hub.say import require_words
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, MessageId
from manyhands.model.session import Message, Session
from manyhands.model.state import State
from manyhands.store import Decision


def follow_ups(hub: Hub, ref: str) -> tuple[Message, ...]:
    return require_session(hub.state, ref).follow_ups


async def edit_follow_up(
    hub: Hub, ref: str, id: str, text: str, *, command: CommandId | None = None
) -> tuple[Message, ...]:
    require_words(text)

    def decide(state: State) -> Decision[None]:
        s = require_session(state, ref)
        message = _require_waiting(s, id)
        edited = e.FollowUpEdited(session=s.id, at=now(), message=message, text=text)
        return Decision((edited,), None)

    await hub.write(decide, command=command)
    return follow_ups(hub, ref)


async def delete_follow_up(
    hub: Hub, ref: str, id: str, *, command: CommandId | None = None
) -> tuple[Message, ...]:
    def decide(state: State) -> Decision[None]:
        s = require_session(state, ref)
        message = _require_waiting(s, id)
        return Decision((e.FollowUpDeleted(session=s.id, at=now(), message=message),), None)

    await hub.write(decide, command=command)
    return follow_ups(hub, ref)


def _require_waiting(s: Session, id: str) -> MessageId:
    if all(waiting.id != id for waiting in s.follow_ups):
        raise NotFound(
            f"{s.slug} has no follow-up {id!r}; it may be on its way to the agent already",
            hint=f"`manyhands follow-ups {s.slug}` lists those that wait",
        )
    return MessageId(id)
