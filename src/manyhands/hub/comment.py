"""Comments of a review: drafted, discarded, resolved, reopened. Drafts live in the hub."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import BadInput, ManyhandsError, NotFound, NotPossible
from manyhands.hub.names import require_session
from manyhands.hub.review import CommentView, comment_view, found_place
from manyhands.hub.review_place import require_place
from manyhands.hub.review_texts import Texts
from manyhands.model import review_events as r
from manyhands.model.anchor import Anchor, Side, anchored
from manyhands.model.clock import now
from manyhands.model.ids import SessionId, fresh_id
from manyhands.model.review import Comment
from manyhands.model.review_events import CommentId
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

LONGEST_COMMENT = 20_000
LONGEST_LINES = 200_000
MOST_LINES = 2000
MOST_COMMENTS = 500
_ID = re.compile(r"c[0-9a-z]{5}")


class Drafting(msgspec.Struct, forbid_unknown_fields=True):
    """A draft, new or, by the `id` of one that is there, changed.

    `lines` is the text that the person saw; without it, what is at the place now.
    """

    text: str
    id: str = ""
    path: str = ""
    side: Side = "new"
    start: int = 0
    end: int = 0
    lines: tuple[str, ...] = ()
    suggestion: str | None = None


async def draft(hub: Hub, ref: str, given: Drafting) -> CommentView:
    s = require_place(hub, ref)
    _require_sound(given)
    known = s.reviewing.comment(given.id) if given.id else None
    if known is not None:
        anchor = known.anchor
    else:
        anchor = await asyncio.to_thread(_anchor, hub, s, given)
    id = CommentId(given.id or f"c{fresh_id(5)}")

    def decide(state: State) -> Decision[None]:
        reviewing = require_session(state, s.id).reviewing
        before = reviewing.comment(id)
        if before is not None and not before.is_pending:
            raise NotPossible(f"comment {id} was sent already", hint="reopen it, or write another")
        if before is None and len(reviewing.comments) >= MOST_COMMENTS:
            raise NotPossible(f"a session holds at most {MOST_COMMENTS} comments")
        event = r.CommentDrafted(
            session=s.id,
            at=now(),
            turn=s.turn,
            comment=id,
            anchor=anchor,
            text=given.text,
            suggestion=given.suggestion,
        )
        return Decision((event,), None)

    await hub.write(decide)
    return await view(hub, s.id, id)


def _require_sound(given: Drafting) -> None:
    if given.id and not _ID.fullmatch(given.id):
        raise BadInput("a comment's id is a c and five letters or digits")
    if len(given.text) > LONGEST_COMMENT or len(given.suggestion or "") > LONGEST_LINES:
        raise BadInput(f"a comment has at most {LONGEST_COMMENT} characters")
    if not 0 <= given.start <= given.end or given.end - given.start >= MOST_LINES:
        raise BadInput(f"lines {given.start} to {given.end} are not lines of a file")
    if len(given.lines) > MOST_LINES or sum(map(len, given.lines)) > LONGEST_LINES:
        raise BadInput(f"a comment is about at most {MOST_LINES} lines")
    if given.start and not given.path:
        raise BadInput("lines need the path of their file")


def _anchor(hub: Hub, s: Session, given: Drafting) -> Anchor:
    texts = Texts(hub, s)
    if given.path:
        _require_known(texts, given)
    if not given.start:
        return Anchor(path=given.path, side=given.side)
    lines = texts.lines(given.path, given.side)
    if not given.lines:
        if given.end > len(lines):
            raise BadInput(f"{given.path} has {len(lines)} lines")
        return anchored(given.path, given.side, lines, given.start, given.end)
    seen = tuple(line.removesuffix("\r") for line in given.lines)
    wanted = Anchor(path=given.path, side=given.side, start=given.start, end=given.end, lines=seen)
    found = found_place(texts, wanted)
    # Lines that are gone already are kept as they were seen: the comment starts out outdated.
    return anchored(given.path, given.side, lines, *found) if found else wanted


def _require_known(texts: Texts, given: Drafting) -> None:
    """A comment on a deleted file stands on its old content."""
    try:
        texts.content(given.path, given.side)
    except NotFound:
        texts.content(given.path, "new" if given.side == "old" else "old")
        if given.start:
            raise


async def view(hub: Hub, session: SessionId, id: str) -> CommentView:
    s = require_session(hub.state, session)
    comment = require_comment(s, id)
    return await asyncio.to_thread(lambda: comment_view(Texts(hub, s), comment))


def require_comment(s: Session, id: str) -> Comment:
    found = s.reviewing.comment(id)
    if found is None:
        raise NotFound(f"{s.slug} has no comment {id!r}", hint=f"`manyhands review {s.slug}`")
    return found


async def discard(hub: Hub, ref: str, id: str) -> None:
    """Drafts only: what the agent was told stays on record."""
    s = require_session(hub.state, ref)

    def decide(state: State) -> Decision[None]:
        if require_comment(require_session(state, s.id), id).sent:
            raise NotPossible(f"comment {id} was sent already", hint="resolve it instead")
        gone = r.CommentDiscarded(session=s.id, at=now(), turn=s.turn, comment=CommentId(id))
        return Decision((gone,), None)

    await hub.write(decide)


async def resolve(hub: Hub, ref: str, id: str) -> CommentView:
    s = require_session(hub.state, ref)
    require_comment(s, id)
    done = r.CommentResolved(session=s.id, at=now(), turn=s.turn, comment=CommentId(id))
    await hub.record(done)
    return await view(hub, s.id, id)


async def reopen(hub: Hub, ref: str, id: str) -> CommentView:
    """Open again: only a change from now on addresses it, and the next message takes it along."""
    s = require_place(hub, ref)
    comment = require_comment(s, id)

    def stand() -> r.Standing:
        texts = Texts(hub, s)
        try:
            return texts.standing(comment, found_place(texts, comment.anchor))
        except (ManyhandsError, OSError):
            return r.Standing(comment=comment.id, hunk=comment.anchor.lines)

    standing = await asyncio.to_thread(stand)
    event = r.CommentReopened(session=s.id, at=now(), turn=s.turn, standing=standing)
    await hub.record(event)
    return await view(hub, s.id, id)
