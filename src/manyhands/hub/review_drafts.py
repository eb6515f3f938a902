"""Remarks from the forge as drafts: a person sends them to the agent, answers or closes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from manyhands.errors import BadInput, ForgeFailed, NotFound, NotPossible
from manyhands.forges.github import GitHub
from manyhands.forges.issue_text import quoted
from manyhands.hub.forge import open_forge
from manyhands.hub.names import require_session
from manyhands.hub.say import Words, say
from manyhands.model import landing_events as le
from manyhands.model.clock import now
from manyhands.model.ids import CommandId
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub
    from manyhands.hub.pr_status import CheckView, ThreadView

LONGEST_LOG = 20_000


class DraftAction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    draft: str
    action: Literal["send", "reply", "resolve", "dismiss"]
    text: str = ""
    """The reply; with `send`, words of the person's own before the remark."""


def imported(
    s: Session, threads: Sequence[ThreadView] | None, checks: Sequence[CheckView]
) -> list[le.LandingEvent]:
    """What is new, changed or settled since the last look; without threads, of checks alone."""
    known = {draft.id: draft for draft in s.landing.drafts}
    present = {draft.id: draft for draft in _of_checks(checks)}
    kinds = {"check"}
    if threads is not None:
        kinds.add("thread")
        present |= {draft.id: draft for draft in _of_threads(threads)}
    events: list[le.LandingEvent] = [
        le.ReviewDraftImported(session=s.id, at=now(), draft=draft)
        for draft in present.values()
        if draft.id not in known or known[draft.id].text != draft.text
    ]
    settled = [d for d in known.values() if d.kind in kinds and d.id not in present and not d.ended]
    ended = (
        le.ReviewDraftEnded(session=s.id, at=now(), draft=d.id, end="resolved") for d in settled
    )
    return [*events, *ended]


def _of_threads(threads: Sequence[ThreadView]) -> Iterator[le.ReviewDraft]:
    for thread in threads:
        if thread.resolved or not thread.comments:
            continue
        yield le.ReviewDraft(
            id=f"thread:{thread.id}",
            kind="thread",
            text="\n\n".join(f"{c.author}: {c.body}" for c in thread.comments),
            author=thread.comments[0].author,
            path=thread.path,
            line=thread.line,
            url=thread.url,
            thread=thread.id,
            comment=thread.comment,
        )


def _of_checks(checks: Sequence[CheckView]) -> Iterator[le.ReviewDraft]:
    for check in checks:
        if check.state == "failed":
            logs = [f"{step.name}:\n{step.log[-LONGEST_LOG:]}" for step in check.steps]
            text = "\n\n".join(filter(None, (f"{check.name} failed", check.summary, *logs)))
            id = f"check:{check.name}:{check.url}"
            yield le.ReviewDraft(id=id, kind="check", text=text, author=check.name, url=check.url)


async def act_on_draft(
    hub: Hub, ref: str, asked: DraftAction, *, command: CommandId | None = None
) -> le.ReviewDraft:
    s = require_session(hub.state, ref)
    draft = next((d for d in s.landing.drafts if d.id == asked.draft), None)
    if draft is None:
        raise NotFound(f"{s.slug} has no draft {asked.draft!r}")
    ends: dict[str, le.DraftEnd] = {"send": "sent", "reply": "replied", "resolve": "resolved"}
    end = ends.get(asked.action, "dismissed")
    if asked.action == "send":
        words = Words(message(draft, asked.text), follow_up=True)
        await say(hub, s.id, words, command=command)
    elif asked.action != "dismiss":
        await _answer(hub, s, draft, asked)
    await hub.record(le.ReviewDraftEnded(session=s.id, at=now(), draft=draft.id, end=end))
    return msgspec.structs.replace(draft, ended=end)


def message(draft: le.ReviewDraft, words: str = "") -> str:
    """A remark as the agent gets it: quoted, with its origin."""
    where = f" on {draft.path}{f' line {draft.line}' if draft.line else ''}" if draft.path else ""
    what = (
        "A check of the pull request failed" if draft.kind == "check" else f"A review remark{where}"
    )
    origin = f"{draft.author}, {draft.url}"
    return "\n\n".join(
        filter(None, (words.strip() or f"{what}. Please see to it.", quoted(origin, draft.text)))
    )


async def _answer(hub: Hub, s: Session, draft: le.ReviewDraft, asked: DraftAction) -> None:
    if draft.kind != "thread" or s.landing.pr is None:
        raise NotPossible("only a review thread can be replied to or resolved")
    if asked.action == "reply" and not asked.text.strip():
        raise BadInput("an empty reply says nothing")
    async with open_forge(hub, s.repo) as forge:
        github = forge.github.of(s.landing.pr.repo)
        if asked.action == "resolve":
            await github.resolve(draft.thread)
        else:
            await _reply(github, s.landing.pr.number, draft, asked.text)


async def _reply(github: GitHub, number: int, draft: le.ReviewDraft, text: str) -> None:
    """Once: where no clear answer came, the thread itself tells whether it is there."""
    try:
        await github.reply(number, draft.comment, text)
    except ForgeFailed as error:
        if not error.unsure:
            raise
        thread = next((t for t in await github.threads(number) if t.id == draft.thread), None)
        if thread is None or thread.comments.nodes[-1].body.strip() != text.strip():
            raise
