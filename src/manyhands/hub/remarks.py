"""What the forge says of a pull request, as comments of the session's review."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.forges.issue_text import quoted
from manyhands.hub.review_texts import Texts
from manyhands.model import landing_events as le
from manyhands.model import review_events as r
from manyhands.model.anchor import Anchor, anchored
from manyhands.model.clock import now
from manyhands.model.review_events import CommentId
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub
    from manyhands.hub.pr_status import CheckView, ThreadView

LONGEST_TEXT = 16_000
"""A person who edits the comment may write a little more."""


def drafts_of(
    threads: Sequence[ThreadView] | None, checks: Sequence[CheckView]
) -> Iterator[le.ReviewDraft]:
    """Open threads and failed checks."""
    for thread in threads or ():
        if thread.comments and not thread.resolved:
            yield _of_thread(thread)
    for check in checks:
        if check.state == "failed":
            yield _of_check(check)


def _of_thread(thread: ThreadView) -> le.ReviewDraft:
    return le.ReviewDraft(
        id=f"thread:{thread.id}",
        kind="thread",
        text=bounded("\n\n".join(map(_said, thread.comments))),
        author=thread.comments[0].author,
        path=thread.path,
        line=thread.line,
        url=thread.url,
        thread=thread.id,
        comment=thread.comment,
    )


def with_reply(text: str, reply: le.IssueComment) -> str:
    """A thread's text after one more comment."""
    return bounded(f"{text}\n\n{_said(reply)}")


def _said(comment: le.IssueComment) -> str:
    return f"{comment.author}: {comment.body}"


def bounded(text: str) -> str:
    """How it began and what was said last."""
    if len(text) <= LONGEST_TEXT:
        return text
    first = LONGEST_TEXT // 4
    return f"{text[:first]}\n…\n{text[first - LONGEST_TEXT + 3 :]}"


def _of_check(check: CheckView) -> le.ReviewDraft:
    logs = "\n\n".join(f"{step.name}:\n{step.log}" for step in check.steps)[-LONGEST_TEXT:]
    text = "\n\n".join(filter(None, (f"{check.name} failed", check.summary[:2000], logs)))
    id = f"check:{check.name}:{check.url}"
    return le.ReviewDraft(id=id, kind="check", text=text, author=check.name, url=check.url)


def commented(
    hub: Hub, s: Session, draft: le.ReviewDraft, before: le.ReviewDraft | None
) -> Iterator[le.LandingEvent | r.ReviewEvent]:
    """The draft on record, and its comment; one that the agent had is open again. Blocks."""
    known = s.reviewing.comment(before.remark) if before else None
    id = _comment_id(s, draft)
    draft = msgspec.structs.replace(draft, remark=id)
    yield le.ReviewDraftImported(session=s.id, at=now(), draft=draft)
    yield r.CommentDrafted(
        session=s.id,
        at=now(),
        turn=s.turn,
        comment=id,
        anchor=known.anchor if known else _anchor(hub, s, draft),
        text=remark(draft),
    )
    if known is not None and not known.is_pending:
        standing = known.standing or r.Standing(comment=id, hunk=known.anchor.lines)
        yield r.CommentReopened(session=s.id, at=now(), turn=s.turn, standing=standing)


def _comment_id(s: Session, draft: le.ReviewDraft) -> CommentId:
    """Of the draft's own name, so that two looks at once make one comment."""
    return CommentId("c" + hashlib.sha256(f"{s.id} {draft.id}".encode()).hexdigest()[:5])


def remark(draft: le.ReviewDraft) -> str:
    """As the agent reads it: quoted as data, with its origin."""
    origin = ", ".join(filter(None, (draft.author, draft.url)))
    what = "A check of the pull request failed." if draft.kind == "check" else "From the review:"
    return f"{what}\n\n{quoted(origin, draft.text)}"


def _anchor(hub: Hub, s: Session, draft: le.ReviewDraft) -> Anchor:
    """The line as it is here now; the file, or the change as a whole, where it is not here."""
    if not draft.path:
        return Anchor()
    try:
        lines = Texts(hub, s).lines(draft.path, "new")
    except (ManyhandsError, OSError):
        return Anchor()
    if 0 < draft.line <= len(lines):
        return anchored(draft.path, "new", lines, draft.line, draft.line)
    return Anchor(path=draft.path)
