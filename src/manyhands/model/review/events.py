"""Events of a review: comments and what became of them, what was viewed, the verdict, reverts."""

from __future__ import annotations

from typing import Literal, NewType

import msgspec

from manyhands.model.envelope import Event
from manyhands.model.ids import MessageId, Oid
from manyhands.model.review.anchor import Anchor

CommentId = NewType("CommentId", str)
Verdict = Literal["commented", "approved"]


class CommentDrafted(Event, frozen=True, kw_only=True):
    """A draft as it is now; told again with the same id where a person writes on."""

    comment: CommentId
    anchor: Anchor
    text: str
    suggestion: str | None = None
    """What the anchored lines should become."""


class CommentDiscarded(Event, frozen=True, kw_only=True):
    comment: CommentId


class Standing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a comment stood on when it was sent; it is addressed once that has changed."""

    comment: CommentId
    hunk: tuple[str, ...] = ()
    blob: Oid = Oid("")
    """The file's content, for a comment on a whole file."""


class ReviewSent(Event, frozen=True, kw_only=True):
    """Comments became one message to the agent."""

    comments: tuple[Standing, ...]
    message: MessageId
    tree: Oid
    checkpoint: str


class CommentResolved(Event, frozen=True, kw_only=True):
    comment: CommentId


class CommentReopened(Event, frozen=True, kw_only=True):
    """Open again, on what is there now."""

    standing: Standing


class SuggestionApplied(Event, frozen=True, kw_only=True):
    comment: CommentId
    checkpoint: str


class FileViewed(Event, frozen=True, kw_only=True):
    """`tree` holds every file as it was last viewed; an empty `blob`: viewed as deleted."""

    path: str
    blob: Oid
    tree: Oid


class FileUnviewed(Event, frozen=True, kw_only=True):
    path: str
    tree: Oid


class VerdictGiven(Event, frozen=True, kw_only=True):
    """`tree` is what was judged, kept by the checkpoint."""

    verdict: Verdict
    tree: Oid
    checkpoint: str


class VerdictLapsed(Event, frozen=True, kw_only=True):
    """What was judged is no longer what is there, or a person took the word back."""

    tree: Oid = Oid("")


class ChangeReverted(Event, frozen=True, kw_only=True):
    """A person put a file, or lines of it, back; `checkpoint` holds what was there."""

    path: str
    checkpoint: str
    lines: str = ""


ReviewEvent = (
    CommentDrafted
    | CommentDiscarded
    | ReviewSent
    | CommentResolved
    | CommentReopened
    | SuggestionApplied
    | FileViewed
    | FileUnviewed
    | VerdictGiven
    | VerdictLapsed
    | ChangeReverted
)
