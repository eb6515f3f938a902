"""Remarks and failed checks from the forge become drafts of the session's review.

Each is a comment like a person's own: it is sent to the agent with the review, and followed. What
goes back to the forge, a reply or a resolution, goes when a person says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from manyhands.errors import BadInput, ForgeFailed, NotFound, NotPossible
from manyhands.forges.answers import name_of
from manyhands.forges.github import GitHub
from manyhands.hub.comment import discard, reopen
from manyhands.hub.forge import open_forge
from manyhands.hub.names import require_session
from manyhands.hub.remarks import commented, drafts_of, with_reply
from manyhands.hub.review_send import Sending, send
from manyhands.model import landing_events as le
from manyhands.model import review_events as r
from manyhands.model.clock import now
from manyhands.model.ids import CommandId
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub
    from manyhands.hub.pr_status import CheckView, ThreadView

Imported = le.LandingEvent | r.ReviewEvent
ENDS: dict[str, le.DraftEnd] = {
    "send": "sent",
    "reply": "replied",
    "resolve": "resolved",
    "dismiss": "dismissed",
}


class DraftAction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    draft: str
    """By its own name, or by that of the comment that it became."""
    action: Literal["send", "reply", "resolve", "dismiss"]
    text: str = ""
    """The reply, by default the agent's; with `send`, words of the person's own before it."""


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
    yield le.ReviewDraftEnded(session=s.id, at=now(), draft=draft.id, end="resolved")
    comment = s.reviewing.comment(draft.remark)
    if comment is not None and not comment.resolved:
        yield r.CommentResolved(session=s.id, at=now(), turn=s.turn, comment=draft.remark)


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
        await _dismiss(hub, s, draft)
    else:
        draft = await _answer(hub, s, draft, asked)
    end = ENDS[asked.action]
    events: list[Imported] = [le.ReviewDraftEnded(session=s.id, at=now(), draft=draft.id, end=end)]
    if end == "resolved":
        events = list(_settled(require_session(hub.state, s.id), draft))
    elif end == "replied":
        events.insert(0, le.ReviewDraftImported(session=s.id, at=now(), draft=draft))
    await hub.record(*events)
    return msgspec.structs.replace(draft, ended=end)


async def _send(
    hub: Hub, s: Session, draft: le.ReviewDraft, words: str, command: CommandId | None
) -> None:
    comment = s.reviewing.comment(draft.remark)
    if comment is None:
        raise NotPossible("this remark was taken out of the review", hint="write a comment instead")
    if not comment.is_pending:
        await reopen(hub, s.id, comment.id)
    sending = Sending(text=words, comments=(comment.id,), follow_up=True)
    await send(hub, s.id, sending, command=command)


async def _dismiss(hub: Hub, s: Session, draft: le.ReviewDraft) -> None:
    comment = s.reviewing.comment(draft.remark)
    if comment is not None and not comment.sent:
        await discard(hub, s.id, comment.id)


async def _answer(
    hub: Hub, s: Session, draft: le.ReviewDraft, asked: DraftAction
) -> le.ReviewDraft:
    """The draft as it is then: our own reply is nothing new in it."""
    if draft.kind != "thread" or s.landing.pr is None:
        raise NotPossible("only a review thread can be replied to or resolved")
    comment = s.reviewing.comment(draft.remark)
    words = asked.text.strip() or (comment.reply if comment else "")
    if asked.action == "reply" and not words:
        raise BadInput("an empty reply says nothing")
    async with open_forge(hub, s.repo) as forge:
        github = forge.github.of(s.landing.pr.repo)
        if asked.action == "resolve":
            await github.resolve(draft.thread)
            return draft
        reply = await _reply(github, s.landing.pr.number, draft, words)
    return msgspec.structs.replace(draft, text=with_reply(draft.text, reply))


async def _reply(github: GitHub, number: int, draft: le.ReviewDraft, text: str) -> le.IssueComment:
    """Once: where no clear answer came, the thread itself tells whether it is there."""
    try:
        made = await github.reply(number, draft.comment, text)
        return le.IssueComment(author=name_of(made.user), body=made.body)
    except ForgeFailed as error:
        if not error.unsure:
            raise
        thread = next((t for t in await github.threads(number) if t.id == draft.thread), None)
        if thread is None or thread.comments.nodes[-1].body.strip() != text.strip():
            raise
        return le.IssueComment(author=name_of(thread.comments.nodes[-1].author), body=text)
