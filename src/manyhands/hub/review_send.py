"""Send to agent: all pending comments become one message, and each is followed from then on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import BadInput, ManyhandsError, NotPossible
from manyhands.hub.names import require_session
from manyhands.hub.new import LONGEST_TEXT
from manyhands.hub.review import found_place
from manyhands.hub.review_place import require_place
from manyhands.hub.review_texts import Texts
from manyhands.hub.verdict import Judged, keep_judged
from manyhands.model import events as e
from manyhands.model import review_events as r
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, MessageId, SessionId, fresh_id
from manyhands.model.review import Comment
from manyhands.model.review_events import CommentId, Standing
from manyhands.model.review_message import review_message
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

Place = tuple[int, int] | None


class Sending(msgspec.Struct, forbid_unknown_fields=True):
    """Words before the comments; `comments` names some, none means all that are pending."""

    text: str = ""
    comments: tuple[str, ...] = ()
    follow_up: bool = False


class SentReview(msgspec.Struct, frozen=True):
    session: SessionId
    message: MessageId
    comments: tuple[CommentId, ...]
    follow_up: bool


async def send(
    hub: Hub, ref: str, given: Sending, *, command: CommandId | None = None
) -> SentReview:
    done = await hub.receipt(command)
    if done is not None:
        return msgspec.convert(done, SentReview)
    s = require_place(hub, ref)
    _pending(s, given.comments)
    judged = await keep_judged(hub, s)
    standings = await asyncio.to_thread(_standings, hub, s)

    def decide(state: State) -> Decision[SentReview]:
        now_there = require_session(state, s.id)
        chosen = [c for c in _pending(now_there, given.comments) if c.id in standings]
        return _decision(now_there, given, chosen, standings, judged)

    result = await hub.write(decide, command=command)
    return msgspec.convert(result, SentReview) if isinstance(result, dict) else result


def _pending(s: Session, ids: tuple[str, ...]) -> list[Comment]:
    """In the order of their places, so that an agent reads file by file."""
    chosen = [c for c in s.reviewing.comments if c.is_pending and c.text.strip()]
    if ids:
        chosen = [c for c in chosen if c.id in ids]
    if not chosen:
        raise NotPossible("there is no comment to send", hint="write one, or reopen one")
    return sorted(chosen, key=lambda c: (c.anchor.path, c.anchor.start, c.at))


def _standings(hub: Hub, s: Session) -> dict[str, tuple[Standing, Place]]:
    texts = Texts(hub, s)
    return {c.id: _standing(texts, c) for c in s.reviewing.comments if c.is_pending}


def _standing(texts: Texts, comment: Comment) -> tuple[Standing, Place]:
    where = found_place(texts, comment.anchor)
    try:
        return texts.standing(comment, where), where
    except (ManyhandsError, OSError):
        return Standing(comment=comment.id, hunk=comment.anchor.lines), where


def _decision(
    s: Session,
    given: Sending,
    chosen: list[Comment],
    standings: dict[str, tuple[Standing, Place]],
    judged: Judged,
) -> Decision[SentReview]:
    text = review_message(given.text, [(c, standings[c.id][1]) for c in chosen])
    if len(text) > LONGEST_TEXT:
        raise BadInput(f"the message is longer than {LONGEST_TEXT // 2**20} MB")
    message, at = MessageId(fresh_id()), now()
    later = given.follow_up and s.status not in ("idle", "failed")
    sent = r.ReviewSent(
        session=s.id,
        at=at,
        turn=s.turn,
        comments=tuple(standings[c.id][0] for c in chosen),
        message=message,
        tree=judged.tree,
        checkpoint=judged.checkpoint,
    )
    words: e.AnyEvent
    if later:
        words = e.FollowUpAdded(session=s.id, at=at, turn=s.turn, message=message, text=text)
    else:
        words = e.UserMessage(
            session=s.id, at=at, turn=s.turn, message=message, text=text, steer=s.in_turn
        )
    result = SentReview(s.id, message, tuple(c.id for c in chosen), later)
    return Decision((sent, words), result)
