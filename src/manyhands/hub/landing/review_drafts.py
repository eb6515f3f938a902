"""Remarks and failed checks from the forge become drafts of the session's review.

Each is a comment like a person's own: it is sent to the agent with the review, and followed. What
goes back to the forge, a reply or a resolution, goes when a person says so.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterator, Sequence
from itertools import count

import msgspec

from manyhands.contract.landing import CheckView, DraftAction, PrCommentView
from manyhands.contract.review import Sending
from manyhands.errors import BadInput, ForgeFailed, ManyhandsError, NotFound, NotPossible
from manyhands.forges import values as v
from manyhands.forges.forge import ForgeRepo
from manyhands.hub.core import Hub, require_session, worktree_of
from manyhands.hub.forge.forge import open_forge
from manyhands.hub.landing.remarks import (
    SAYING,
    Remarks,
    drafts_of,
    of_comment,
    remark,
    with_reply,
)
from manyhands.hub.review.comment import discard, reopen
from manyhands.hub.review.send import send
from manyhands.model.ids import CommandId
from manyhands.model.landing import events as le
from manyhands.model.review import events as r
from manyhands.model.review.anchor import Anchor, anchored
from manyhands.model.review.events import CommentId
from manyhands.model.session.session import Session
from manyhands.station.comments import Texts

Imported = le.LandingEvent | r.ReviewEvent
NewDraft = le.ReviewDraftImported
ENDS: dict[str, le.DraftEnd] = {
    "send": "sent",
    "reply": "replied",
    "resolve": "resolved",
    "dismiss": "dismissed",
}


def imported(
    hub: Hub, s: Session, said: Remarks | None, checks: Sequence[CheckView]
) -> list[Imported]:
    """What is new, changed or settled since the last look; without remarks, of checks alone."""
    known = {draft.id: draft for draft in s.landing.drafts}
    present = {draft.id: draft for draft in drafts_of(said, checks)}
    kinds = {"check"} if said is None else {"check", *SAYING}
    events: list[Imported] = []
    taken = {draft.remark for draft in s.landing.drafts}
    for draft in present.values():
        before = known.get(draft.id)
        if before is None or before.text != draft.text or before.ended == "resolved":
            made = list(commented(hub, s, draft, before, taken))
            taken |= {event.draft.remark for event in made if isinstance(event, NewDraft)}
            events += made
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
    named = asked.draft or "?"
    draft = next((d for d in s.landing.drafts if named in (d.id, d.remark)), None)
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
    if draft.bot and not draft.remark:
        taken = {known.remark for known in s.landing.drafts}
        shown = await asyncio.to_thread(
            lambda: list(commented(hub, s, draft, draft, taken, shows=True))
        )
        await hub.record(*shown)
        s = require_session(hub.state, s.id)
        draft = next(known for known in s.landing.drafts if known.id == draft.id)
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
    if draft.kind == "check" or s.landing.pr is None:
        raise NotPossible("only what somebody said can be replied to")
    if draft.kind != "thread" and asked.action == "resolve":
        raise NotPossible("only a review thread can be resolved", hint="dismiss it here instead")
    comment = s.review.comment(draft.remark)
    words = asked.text.strip() or (comment.reply if comment else "")
    if asked.action == "reply" and not words:
        raise BadInput("an empty reply says nothing")
    async with open_forge(hub, s.repo) as forge:
        repo = forge.repo.of(s.landing.pr.repo)
        if asked.action == "resolve":
            await repo.resolve(s.landing.pr.number, draft.thread)
            return draft
        if draft.kind != "thread":
            await _join_in(hub, s, repo, words)
            return draft
        reply = await _reply(repo, s.landing.pr.number, draft, words)
    return msgspec.structs.replace(draft, text=with_reply(draft.text, reply))


async def _join_in(hub: Hub, s: Session, repo: ForgeRepo, text: str) -> None:
    """Said in the conversation, once; our own words are no remark to us."""
    assert s.landing.pr is not None
    number = s.landing.pr.number
    try:
        made = await repo.comment_pull(number, text)
    except ForgeFailed as error:
        if not error.unsure:
            raise
        there = await repo.conversation(number)
        if not there or there[-1].body.strip() != text.strip():
            raise
        made = there[-1]
    own = msgspec.structs.replace(of_comment(comment_view(made)), ended="replied")
    await hub.record(le.ReviewDraftImported(session=s.id, draft=own))


def comment_view(comment: v.ForgeComment) -> PrCommentView:
    return PrCommentView(
        id=comment.id,
        author=comment.author,
        text=comment.body,
        url=comment.url,
        at=comment.at,
        bot=comment.bot,
    )


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


def commented(
    hub: Hub,
    s: Session,
    draft: le.ReviewDraft,
    before: le.ReviewDraft | None,
    taken: Collection[CommentId] = (),
    *,
    shows: bool = False,
) -> Iterator[Imported]:
    """The draft on record, and its comment; one that the agent had is open again. What programs
    say in the conversation is no comment, until a person wants it sent. Blocks."""
    if draft.bot and draft.kind == "comment" and not shows:
        yield le.ReviewDraftImported(session=s.id, draft=draft)
        return
    known = s.review.comment(before.remark) if before else None
    id = before.remark if before and before.remark else _comment_id(s, draft, taken)
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


def _comment_id(s: Session, draft: le.ReviewDraft, taken: Collection[CommentId]) -> CommentId:
    """Of the draft's own name, so that two looks at once make one comment; each has its own."""
    for n in count():
        told = f"{s.id} {draft.id}{n or ''}"
        id = CommentId("c" + hashlib.sha256(told.encode()).hexdigest()[:5])
        if id not in taken:
            return id
    raise AssertionError


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
