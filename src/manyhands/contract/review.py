"""Reviews: what is looked at, and what a person says of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.ids import MessageId, Oid, SessionId
from manyhands.model.review.anchor import Side
from manyhands.model.review.events import CommentId
from manyhands.model.review.review import Review
from manyhands.model.workspace.diff import FileDiff

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


Viewed = Literal["no", "yes", "changed"]


class ReviewFile(FileDiff, frozen=True, kw_only=True):
    generated: bool = False
    viewed: Viewed = "no"


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """`tree` is all that the worktree holds now; a verdict is given on it."""

    against: str
    tree: Oid
    files: list[ReviewFile]
    patch: str = ""
    """Of the first files, where those were asked for."""
    more: int = 0
    """How many files may follow in the whole list; there is no `tree` then."""


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """A file's text, or an image as base64 with its media type; neither for other binary files."""

    path: str
    side: Side
    bytes: int
    text: str | None = None
    media: str = ""
    data: str = ""


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


class Viewing(msgspec.Struct, forbid_unknown_fields=True):
    """`blob` is the content that the person saw; empty for a file that is deleted."""

    path: str
    blob: str = ""
    viewed: bool = True


class ViewedFile(msgspec.Struct, frozen=True):
    path: str
    blob: Oid
    viewed: bool


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


class Judging(msgspec.Struct, forbid_unknown_fields=True):
    """`tree` is what the person has seen; "none" takes an earlier verdict back."""

    verdict: Literal["none", "commented", "approved"]
    tree: str = ""


class Hunk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lines that a hunk's head names; with a count of 0, the place after that line."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int


class Reverting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`blob` is the content that the person saw, empty for a deleted file; no hunk: all of it."""

    path: str
    blob: str = ""
    old_path: str = ""
    against: str = "base"
    hunk: Hunk | None = None


class Reverted(msgspec.Struct, frozen=True):
    path: str
    checkpoint: str
