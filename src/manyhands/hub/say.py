"""Say something to a session: steer its running turn, begin a new one, or leave a follow-up."""

from __future__ import annotations

import msgspec

from manyhands.errors import BadInput, NotPossible
from manyhands.hub.attachments import Given, keep_attachments
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session, require_worktree
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


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said; `model` and `effort` hold for this message only."""

    text: str
    follow_up: bool = False
    model: str = ""
    effort: e.Effort | None = None
    attachments: tuple[Given, ...] = ()


async def say(hub: Hub, ref: str, words: Words, *, command: CommandId | None = None) -> Said:
    require_words(words.text)
    session = require_session(hub.state, ref)
    _require_listening(session)
    attached = await keep_attachments(hub, session.id, words.attachments)

    def decide(state: State) -> Decision[bool]:
        s = require_session(state, ref)
        _require_listening(s)
        wants_later = words.follow_up or (s.in_turn and not s.steers)
        later = wants_later and s.status not in ("idle", "failed")
        return Decision((_message(s, words, attached, later=later),), later)

    later = await hub.write(decide, command=command)
    return Said(require_session(hub.state, ref).id, later)


def require_words(text: str) -> None:
    if not text.strip():
        raise BadInput("an empty message says nothing")
    if len(text) > LONGEST_TEXT:
        raise BadInput(f"the message is longer than {LONGEST_TEXT // 2**20} MB")


def _require_listening(s: Session) -> None:
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if not s.ready and s.error:
        raise NotPossible(
            f"{s.slug} was never made ready: {s.error}", hint=f"`manyhands resume {s.slug}` first"
        )
    require_worktree(s)


def _message(
    s: Session, words: Words, attached: tuple[e.Attachment, ...], *, later: bool
) -> e.AnyEvent:
    message, at, effort = MessageId(fresh_id()), now(), words.effort or ""
    if later:
        return e.FollowUpAdded(
            session=s.id,
            at=at,
            turn=s.turn,
            message=message,
            text=words.text,
            model=words.model,
            effort=effort,
            attachments=attached,
        )
    return e.UserMessage(
        session=s.id,
        at=at,
        turn=s.turn,
        message=message,
        text=words.text,
        steer=s.in_turn,
        model=words.model,
        effort=effort,
        attachments=attached,
    )
