"""A session's review as a person sees it: every comment at its place, and what became of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.hub.names import require_session
from manyhands.hub.review_texts import Texts
from manyhands.model.anchor import Anchor, Side, is_changed, place
from manyhands.model.clock import Instant
from manyhands.model.review import Comment
from manyhands.model.review_events import CommentId
from manyhands.model.session import Review, Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

CommentState = Literal["draft", "open", "answered", "addressed", "resolved"]


class CommentView(msgspec.Struct, frozen=True, kw_only=True):
    """`start` and `end` are where the lines are now; outdated: they are nowhere any more."""

    id: CommentId
    path: str
    side: Side
    start: int
    end: int
    lines: tuple[str, ...]
    text: str
    suggestion: str | None
    state: CommentState
    pending: bool
    outdated: bool
    answered: bool
    addressed: bool
    reply: str
    at: Instant
    sent: Instant


class ReviewView(msgspec.Struct, frozen=True, kw_only=True):
    """`reviewed` is the checkpoint of the last verdict or message."""

    session: str
    verdict: Review
    reviewed: str
    pending: int
    comments: list[CommentView]


async def review(hub: Hub, ref: str) -> ReviewView:
    s = require_session(hub.state, ref)
    comments = await asyncio.to_thread(_views, hub, s)
    return ReviewView(
        session=s.id,
        verdict=s.review,
        reviewed=s.reviewing.checkpoint,
        pending=sum(c.is_pending for c in s.reviewing.comments),
        comments=comments,
    )


def _views(hub: Hub, s: Session) -> list[CommentView]:
    texts = Texts(hub, s)
    return [comment_view(texts, comment) for comment in s.reviewing.comments]


def comment_view(texts: Texts, comment: Comment) -> CommentView:
    anchor = comment.anchor
    where = found_place(texts, anchor)
    start, end = where or (anchor.start, anchor.end)
    addressed = is_addressed(texts, comment)
    return CommentView(
        id=comment.id,
        path=anchor.path,
        side=anchor.side,
        start=start,
        end=end,
        lines=anchor.lines,
        text=comment.text,
        suggestion=comment.suggestion,
        state=_state(comment, addressed),
        pending=comment.is_pending,
        outdated=where is None,
        answered=bool(comment.reply),
        addressed=addressed,
        reply=comment.reply,
        at=comment.at,
        sent=comment.sent,
    )


def _state(comment: Comment, addressed: bool) -> CommentState:
    if comment.resolved:
        return "resolved"
    if not comment.sent:
        return "draft"
    if addressed:
        return "addressed"
    return "answered" if comment.reply else "open"


def found_place(texts: Texts, anchor: Anchor) -> tuple[int, int] | None:
    """Where the anchor's lines are now; a comment without lines stays where it is."""
    if not anchor.path or not anchor.lines:
        return (anchor.start, anchor.end)
    try:
        return place(anchor, texts.lines(anchor.path, anchor.side))
    except (ManyhandsError, OSError):
        return None


def is_addressed(texts: Texts, comment: Comment) -> bool:
    """Only if what it stood on when it was sent has changed since."""
    standing, path = comment.standing, comment.anchor.path
    if standing is None:
        return False
    try:
        if standing.blob:
            return texts.blob(path) != standing.blob
        return is_changed(standing.hunk, texts.lines(path, "new"))
    except (ManyhandsError, OSError):
        # The file itself is gone, or the worktree is: only the first says anything.
        return Path(texts.worktree).is_dir()
