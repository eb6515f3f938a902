"""Say something to a session: steer its running turn, begin a new one, or leave a follow-up."""

from __future__ import annotations

import msgspec

from manyhands.errors import BadInput, NotPossible
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.hub.new import LONGEST_TEXT
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, MessageId, SessionId, fresh_id
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Decision


class Said(msgspec.Struct, frozen=True):
    session: SessionId
    follow_up: bool


async def say(
    hub: Hub, ref: str, text: str, *, follow_up: bool = False, command: CommandId | None = None
) -> Said:
    if not text.strip():
        raise BadInput("an empty message says nothing")
    if len(text) > LONGEST_TEXT:
        raise BadInput(f"the message is longer than {LONGEST_TEXT // 2**20} MB")

    def decide(state: State) -> Decision[bool]:
        s = require_session(state, ref)
        _require_listening(s)
        later = follow_up and s.status not in ("idle", "failed")
        return Decision((_words(s, text, later=later),), later)

    later = await hub.write(decide, command=command)
    return Said(require_session(hub.state, ref).id, later)


def _require_listening(s: Session) -> None:
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if not s.ready and s.error:
        raise NotPossible(
            f"{s.slug} was never made ready: {s.error}", hint=f"`manyhands resume {s.slug}` first"
        )


def _words(s: Session, text: str, *, later: bool) -> e.AnyEvent:
    message = MessageId(fresh_id())
    if later:
        return e.FollowUpAdded(session=s.id, at=now(), turn=s.turn, message=message, text=text)
    return e.UserMessage(
        session=s.id, at=now(), turn=s.turn, message=message, text=text, steer=s.in_turn
    )
