"""A session's review as a pure fold: its comments, what was viewed, and the verdict."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from manyhands.model import review_events as r
from manyhands.model.anchor import Anchor
from manyhands.model.clock import Instant
from manyhands.model.ids import Oid
from manyhands.model.review_events import CommentId, Standing

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
    comments: tuple[Comment, ...] = ()
    viewed: Oid = Oid("")
    """The tree of all files as they were last viewed."""
    tree: Oid = Oid("")
    """What the verdict was given on."""
    checkpoint: str = ""
    """The state at the last verdict or message."""

    def comment(self, id: str) -> Comment | None:
        return next((c for c in self.comments if c.id == id), None)


Change = dict[str, Any]


def review_change(reviewing: Reviewing, event: r.ReviewEvent) -> Change:
    """What the event changes in the session."""
    match event:
        case r.ReviewSent():
            sent = _judged(_sent(reviewing, event), event)
            return {"reviewing": sent, "review": "commented"}
        case r.VerdictGiven():
            return {"reviewing": _judged(reviewing, event), "review": event.verdict}
        case r.VerdictLapsed():
            return {"review": "none"}
        case r.FileViewed() | r.FileUnviewed():
            return {"reviewing": msgspec.structs.replace(reviewing, viewed=event.tree)}
        case r.ChangeReverted():
            return {}
        case _:
            return {"reviewing": _commented(reviewing, event)}


def replied(reviewing: Reviewing, text: str) -> Change:
    """After words of the agent: the sent comments that they name are answered."""
    named = {c.id for c in reviewing.comments if c.sent and not c.resolved and _names(text, c.id)}
    if not named:
        return {}
    comments = tuple(
        msgspec.structs.replace(c, reply=_excerpt(text, c.id)) if c.id in named else c
        for c in reviewing.comments
    )
    return {"reviewing": msgspec.structs.replace(reviewing, comments=comments)}


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
    return msgspec.structs.replace(reviewing, tree=event.tree, checkpoint=event.checkpoint)


def _sent(reviewing: Reviewing, event: r.ReviewSent) -> Reviewing:
    standings = {standing.comment: standing for standing in event.comments}
    comments = tuple(
        msgspec.structs.replace(
            c, sent=event.at, standing=standings[c.id], reply="", reopened=False
        )
        if c.id in standings
        else c
        for c in reviewing.comments
    )
    return msgspec.structs.replace(reviewing, comments=comments)


_OfComment = (
    r.CommentDrafted
    | r.CommentDiscarded
    | r.CommentResolved
    | r.CommentReopened
    | r.SuggestionApplied
)


def _commented(reviewing: Reviewing, event: _OfComment) -> Reviewing:
    id = event.standing.comment if isinstance(event, r.CommentReopened) else event.comment
    known = reviewing.comment(id)
    changed = _changed(known, event)
    if changed is None:
        comments = tuple(c for c in reviewing.comments if c.id != id)
    elif known is None:
        comments = (*reviewing.comments, changed)
    else:
        comments = tuple(changed if c.id == id else c for c in reviewing.comments)
    return msgspec.structs.replace(reviewing, comments=comments)


def _changed(known: Comment | None, event: _OfComment) -> Comment | None:
    """The comment after the event; None where there is none (any more)."""
    if isinstance(event, r.CommentDrafted):
        given = {"anchor": event.anchor, "text": event.text, "suggestion": event.suggestion}
        if known is not None:
            return msgspec.structs.replace(known, **given)
        return Comment(id=event.comment, at=event.at, **given)  # type: ignore[arg-type]
    if known is None or isinstance(event, r.CommentDiscarded):
        return None
    if isinstance(event, r.CommentReopened):
        fresh = {"standing": event.standing, "reply": "", "resolved": False}
        return msgspec.structs.replace(known, **fresh, reopened=bool(known.sent))
    return msgspec.structs.replace(known, resolved=True, reopened=False)
