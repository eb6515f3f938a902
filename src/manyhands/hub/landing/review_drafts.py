"""Remarks and failed checks from the forge become drafts of the session's review.

Each is a comment like a person's own: it is sent to the agent with the review, and followed. What
goes back to the forge, a reply or a resolution, goes when a person says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import msgspec

from manyhands.contract.landing import CheckView, DraftAction, ThreadView
from manyhands.contract.review import Sending
from manyhands.errors import BadInput, ForgeFailed, ManyhandsError, NotFound, NotPossible
from manyhands.forges.forge import ForgeRepo
from manyhands.forges.issue_text import quoted
from manyhands.hub.core import Hub, require_session, worktree_of
from manyhands.hub.forge.forge import open_forge
from manyhands.hub.review.comment import discard, reopen
from manyhands.hub.review.send import send
from manyhands.model.ids import CommandId
from manyhands.model.landing import events as le
from manyhands.model.review import events as r
from manyhands.model.review.anchor import Anchor, anchored
from manyhands.model.review.events import CommentId
from manyhands.model.session.session import Session
from manyhands.station.comments import Texts

LONGEST_TEXT = 16_000
"""A person who edits the comment may write a little more."""
Imported = le.LandingEvent | r.ReviewEvent
ENDS: dict[str, le.DraftEnd] = {
    "send": "sent",
    "reply": "replied",
    "resolve": "resolved",
    "dismiss": "dismissed",
}


def imported(
    hub: Hub, s: Session, threads: Sequence[ThreadView] | None, checks: Sequence[CheckView]
) -> list[Imported]:
    """What is new, changed or settled since the last look; without threads, of checks alone."""
    known = {draft.id: draft for draft in s.landing.drafts}
    present = {draft.id: draft for draft in drafts_of(threads, checks)}
    kinds = {"check"} if threads is None else {"check", "thread"}
    events: list[Imported] = []
    for draft in present.values():
        before = known.get(draft.id)
        if before is None or before.text != draft.text or before.ended == "resolved":
            events += commented(hub, s, draft, before)
    for draft in known.values():
        if draft.kind in kinds and draft.id not in present and draft.ended != "resolved":
            events += _settled(s, draft)
    return events


def _settled(s: Session, draft: le.ReviewDraft) -> Iterator[Imported]:
    """The forge says that it is done with."""
    yield le.ReviewDraftEnded(session=s.id, draft=draft.id, end="resolved")
    comment = s.review.comment(draft.remark)
    if comment is not None and not comment.resolved:
        yield r.CommentResolved(session=s.id, turn=s.main.turn, comment=draft.remark)


async def act_on_draft(
    hub: Hub, ref: str, asked: DraftAction, *, command: CommandId | None = None
) -> le.ReviewDraft:
    s = require_session(hub.state, ref)
    draft = next((d for d in s.landing.drafts if asked.draft in (d.id, d.remark)), None)
    if draft is None:
        raise NotFound(f"{s.slug} has no draft {asked.draft!r}")
    if asked.action == "send":
        await _send(hub, s, draft, asked.text, command)
    elif asked.action == "dismiss":
        comment = s.review.comment(draft.remark)
        if comment is not None and not comment.sent:
            await discard(hub, s.id, comment.id)
    else:
        draft = await _answer(hub, s, draft, asked)
    end = ENDS[asked.action]
    events: list[Imported] = [le.ReviewDraftEnded(session=s.id, draft=draft.id, end=end)]
    if end == "resolved":
        events = list(_settled(require_session(hub.state, s.id), draft))
    elif end == "replied":
        events.insert(0, le.ReviewDraftImported(session=s.id, draft=draft))
    await hub.record(*events)
    return msgspec.structs.replace(draft, ended=end)


async def _send(
    hub: Hub, s: Session, draft: le.ReviewDraft, words: str, command: CommandId | None
) -> None:
    comment = s.review.comment(draft.remark)
    if comment is None:
        raise NotPossible("this remark was taken out of the review", hint="write a comment instead")
    if not comment.is_pending:
        await reopen(hub, s.id, comment.id)
    sending = Sending(text=words, comments=(comment.id,), follow_up=True)
    await send(hub, s.id, sending, command=command)


async def _answer(
    hub: Hub, s: Session, draft: le.ReviewDraft, asked: DraftAction
) -> le.ReviewDraft:
    """The draft as it is then: our own reply is nothing new in it."""
    if draft.kind != "thread" or s.landing.pr is None:
        raise NotPossible("only a review thread can be replied to or resolved")
    comment = s.review.comment(draft.remark)
    words = asked.text.strip() or (comment.reply if comment else "")
    if asked.action == "reply" and not words:
        raise BadInput("an empty reply says nothing")
    async with open_forge(hub, s.repo) as forge:
        repo = forge.repo.of(s.landing.pr.repo)
        if asked.action == "resolve":
            await repo.resolve(s.landing.pr.number, draft.thread)
            return draft
        reply = await _reply(repo, s.landing.pr.number, draft, words)
    return msgspec.structs.replace(draft, text=with_reply(draft.text, reply))


async def _reply(repo: ForgeRepo, number: int, draft: le.ReviewDraft, text: str) -> le.IssueComment:
    """Once: where no clear answer came, the thread itself tells whether it is there."""
    try:
        made = await repo.reply(number, draft.thread, draft.comment, text)
        return le.IssueComment(author=made.author, body=made.body)
    except ForgeFailed as error:
        if not error.unsure:
            raise
        thread = next((t for t in await repo.threads(number) if t.id == draft.thread), None)
        if thread is None or thread.comments[-1].body.strip() != text.strip():
            raise
        return le.IssueComment(author=thread.comments[-1].author, body=text)


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
) -> Iterator[Imported]:
    """The draft on record, and its comment; one that the agent had is open again. Blocks."""
    known = s.review.comment(before.remark) if before else None
    id = _comment_id(s, draft)
    draft = msgspec.structs.replace(draft, remark=id)
    yield le.ReviewDraftImported(session=s.id, draft=draft)
    yield r.CommentDrafted(
        session=s.id,
        turn=s.main.turn,
        comment=id,
        anchor=known.anchor if known else _anchor(hub, s, draft),
        text=remark(draft),
    )
    if known is not None and not known.is_pending:
        standing = known.standing or r.Standing(comment=id, hunk=known.anchor.lines)
        yield r.CommentReopened(session=s.id, turn=s.main.turn, standing=standing)


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
        lines = Texts(worktree_of(hub, s)).lines(draft.path, "new")
    except (ManyhandsError, OSError):
        return Anchor()
    if 0 < draft.line <= len(lines):
        return anchored(draft.path, "new", lines, draft.line, draft.line)
    return Anchor(path=draft.path)
