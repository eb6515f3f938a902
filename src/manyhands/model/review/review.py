"""A session's review as a pure fold: its comments, what was viewed, and the verdict."""

from __future__ import annotations

import re
from typing import Literal, assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model.agent.events import AgentMessage
from manyhands.model.clock import Instant
from manyhands.model.ids import Oid
from manyhands.model.review import events as r
from manyhands.model.review.anchor import Anchor
from manyhands.model.review.events import CommentId, Standing

Review = Literal["none", "commented", "approved"]

LONGEST_REPLY = 2000


class Comment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: CommentId
    anchor: Anchor
    text: str = ""
    suggestion: str | None = None
    at: Instant = ""
    sent: Instant = ""
    """When the agent was told; empty for a draft."""
    standing: Standing | None = None
    reply: str = ""
    """The agent's words that named the comment after it was sent."""
    resolved: bool = False
    reopened: bool = False
    """Opened again, and not sent since."""

    @property
    def is_pending(self) -> bool:
        """Whether the next message to the agent takes it along."""
        return not self.resolved and (not self.sent or self.reopened)


class Reviewing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    verdict: Review = "none"
    comments: tuple[Comment, ...] = ()
    viewed: Oid = Oid("")
    """The tree of all files as they were last viewed."""
    tree: Oid = Oid("")
    """What the verdict was given on."""
    checkpoint: str = ""
    """The state at the last verdict or message."""

    def comment(self, id: str) -> Comment | None:
        return next((c for c in self.comments if c.id == id), None)


ReviewingEvent = r.ReviewEvent | AgentMessage


def fold(reviewing: Reviewing, event: ReviewingEvent) -> Reviewing:
    match event:
        case AgentMessage():
            return _replied(reviewing, event.text)
        case r.CommentDrafted():
            return _drafted(reviewing, event)
        case r.CommentDiscarded():
            left = tuple(c for c in reviewing.comments if c.id != event.comment)
            return replace(reviewing, comments=left)
        case r.CommentResolved() | r.SuggestionApplied():
            return _changed(reviewing, event.comment, resolved=True, reopened=False)
        case r.CommentReopened():
            known = reviewing.comment(event.standing.comment)
            anew = {"standing": event.standing, "reply": "", "resolved": False}
            again = known is not None and bool(known.sent)
            return _changed(reviewing, event.standing.comment, **anew, reopened=again)
        case r.ReviewSent():
            return replace(_judged(_sent(reviewing, event), event), verdict="commented")
        case r.VerdictGiven():
            return replace(_judged(reviewing, event), verdict=event.verdict)
        case r.VerdictLapsed():
            return replace(reviewing, verdict="none")
        case r.FileViewed() | r.FileUnviewed():
            return replace(reviewing, viewed=event.tree)
        case r.ChangeReverted():
            return reviewing
        case _:
            assert_never(event)


def _changed(reviewing: Reviewing, id: CommentId, **change: object) -> Reviewing:
    """With that comment changed, if it is known."""
    comments = tuple(replace(c, **change) if c.id == id else c for c in reviewing.comments)
    return replace(reviewing, comments=comments)


def _drafted(reviewing: Reviewing, event: r.CommentDrafted) -> Reviewing:
    if reviewing.comment(event.comment) is None:
        begun = Comment(id=event.comment, at=event.at, anchor=event.anchor)
        reviewing = replace(reviewing, comments=(*reviewing.comments, begun))
    written = {"anchor": event.anchor, "text": event.text, "suggestion": event.suggestion}
    return _changed(reviewing, event.comment, **written)


def _replied(reviewing: Reviewing, text: str) -> Reviewing:
    """After words of the agent: the sent comments that they name are answered."""
    for c in reviewing.comments:
        if c.sent and not c.resolved and _names(text, c.id):
            reviewing = _changed(reviewing, c.id, reply=_excerpt(text, c.id))
    return reviewing


def _names(text: str, id: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(id)}(?![\w-])", text) is not None


def _excerpt(text: str, id: str) -> str:
    """The paragraphs from the one that names the comment on, as far as they name no other."""
    paragraphs = text.split("\n\n")
    first = next((n for n, part in enumerate(paragraphs) if _names(part, id)), 0)
    taken = [paragraphs[first]]
    for part in paragraphs[first + 1 :]:
        if re.search(r"(?<![\w-])c[0-9a-z]{5}(?![\w-])", part):
            break
        taken.append(part)
    return "\n\n".join(taken)[:LONGEST_REPLY]


def _judged(reviewing: Reviewing, event: r.ReviewSent | r.VerdictGiven) -> Reviewing:
    return replace(reviewing, tree=event.tree, checkpoint=event.checkpoint)


def _sent(reviewing: Reviewing, event: r.ReviewSent) -> Reviewing:
    for standing in event.comments:
        sent = {"sent": event.at, "standing": standing, "reply": "", "reopened": False}
        reviewing = _changed(reviewing, standing.comment, **sent)
    return reviewing
