"""Issues that an agent would split its work into: a person chooses which of them are made.

What was made is recorded one by one, and each carries a mark in its text: a job that was cut off
finds what is there and makes only the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from manyhands.contract.landing import Proposing
from manyhands.errors import BadInput, ForgeFailed, ManyhandsError, NotPossible
from manyhands.forges.place import place_of
from manyhands.forges.remote import parse_remote
from manyhands.forges.scan import secret_in
from manyhands.hub.core import Hub, fresh_item, require_living, require_session
from manyhands.hub.core.work import Failure, Kind, Step, StepDone, Work, started
from manyhands.hub.repos.pins import require_main_remote
from manyhands.hub.trackers.trackers import (
    OWN,
    canonical,
    configured,
    is_own,
    list_trackers,
    open_tracker,
)
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Option, Resolution
from manyhands.model.ids import fresh_id
from manyhands.model.landing import tracking_events as te
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.store import Decision
from manyhands.trackers.tracker import ListedIssue, NewIssue, Tracker

MOST = 20
MOST_OPEN = 3
LONGEST_TITLE = 250
LONGEST_BODY = 20_000
CREATE, DECLINE, ONE = "create", "decline", "issue."


async def propose(hub: Hub, ref: str, asked: Proposing) -> Attention:
    """Nothing is made before a person says so."""
    s = require_session(hub.state, ref)
    require_living(s)
    issues = tuple(map(_clean, _require_sensible(asked.issues)))
    tracker = canonical(hub, s.repo, asked.tracker or _usual(hub, s))
    proposal = te.IssuesProposal(
        id=fresh_id(), tracker=tracker, place=await _place(hub, s, tracker), issues=issues
    )

    def decide(state: State) -> Decision[Attention]:
        now = require_session(state, s.id)
        _require_room(now)
        item = _item(now, proposal, range(len(issues)))
        proposed = te.IssuesProposed(session=s.id, turn=now.main.turn, proposal=proposal)
        raised = e.AttentionRaised(session=s.id, turn=now.main.turn, item=item)
        return Decision((proposed, raised), item)

    return await hub.write(decide)


def _require_sensible(issues: Sequence[te.ProposedIssue]) -> Sequence[te.ProposedIssue]:
    if not 0 < len(issues) <= MOST:
        raise BadInput(f"a proposal holds 1 to {MOST} issues, not {len(issues)}")
    for issue in issues:
        if not 0 < len(issue.title.strip()) <= LONGEST_TITLE or "\n" in issue.title.strip():
            raise BadInput(f"a title is one line of at most {LONGEST_TITLE} characters")
        if len(issue.body) > LONGEST_BODY:
            raise BadInput(f"the text of {issue.title!r} is longer than {LONGEST_BODY} characters")
    return issues


def _clean(issue: te.ProposedIssue) -> te.ProposedIssue:
    """With nothing in it that looks like a secret: it is to leave the machine."""
    lines = issue.body.strip().splitlines()
    body = "\n".join("[left out: it looks like a secret]" if secret_in(x) else x for x in lines)
    if secret_in(issue.title):
        raise BadInput("a title looks like a secret, so it was not taken")
    return te.ProposedIssue(title=issue.title.strip(), body=body)


def _require_room(s: Session) -> None:
    if sum("proposal" in item.detail for item in s.inbox.items) >= MOST_OPEN:
        raise NotPossible(f"{MOST_OPEN} proposals of {s.slug} wait for a person already")


def _usual(hub: Hub, s: Session) -> str:
    """Where the session's own issue is; else the one configured tracker; else the forge."""
    known = configured(hub, s.repo)
    others = [n for n, c in known.items() if c.kind != "tasks" and not is_own(c)]
    for issue in s.landing.issues:
        if issue.tracker in others:
            return issue.tracker
        if issue.number and not issue.tracker:
            return OWN
    if len(others) > 1 and not any(map(is_own, known.values())):
        ways = ", ".join(view.name for view in list_trackers(hub, s.repo))
        raise BadInput("it is not said in which tracker the issues belong", hint=f"one of: {ways}")
    return others[0] if len(others) == 1 else OWN


async def _place(hub: Hub, s: Session, tracker: str) -> str:
    config = configured(hub, s.repo).get(tracker)
    if config is None:
        try:
            name, address = await require_main_remote(hub, s.repo)
        except ManyhandsError as error:
            raise NotPossible(
                f"there is no tracker in which issues of {s.slug} could be made: {error.message}",
                hint="name one in config.toml: [trackers.NAME]",
            ) from error
        return place_of(parse_remote(name, address.push[0]), hub.settings).slug
    if config.kind == "tasks":
        raise NotPossible(f"{config.file} is the user's to edit: nothing is written into it")
    return f"{config.kind.capitalize()} {config.team or config.project}".rstrip()


def _item(
    s: Session, proposal: te.IssuesProposal, which: Sequence[int], problem: str = ""
) -> Attention:
    issues = [proposal.issues[index] for index in which]
    noun = "issue" if len(issues) == 1 else "issues"
    summary = f"proposes {len(issues)} {noun} for {proposal.place}: {issues[0].title}"
    detail = {
        "proposal": proposal.id,
        "place": proposal.place,
        "issues": msgspec.to_builtins(issues),
        **({"problem": problem} if problem else {}),
    }
    each = (Option(f"{ONE}{index + 1}", proposal.issues[index].title) for index in which)
    everything = Option(CREATE, f"Create all in {proposal.place}")
    options = (everything, *each, Option(DECLINE, "Create none"))
    return fresh_item(s, "issues", summary, detail, options)


class IssuesWanted(msgspec.Struct, frozen=True):
    proposal: str
    which: tuple[int, ...]
    """Counted from 0."""


def after_answer(s: Session, item: Attention, settled: Resolution) -> Iterator[e.AnyEvent]:
    """The job that makes those that were chosen."""
    proposal = s.tracking.proposal(str(item.detail.get("proposal", "")))
    if proposal is None:
        return
    which = _chosen(item, settled)
    if which:
        yield from started(CREATE_ISSUES, IssuesWanted(proposal.id, which), s)
        return
    words = f" ({settled.text})" if settled.text else ""
    note = f"None of the issues proposed for {proposal.place} were made{words}."
    yield e.NoteMade(session=s.id, turn=s.main.turn, text=note)


def _chosen(item: Attention, settled: Resolution) -> tuple[int, ...]:
    if DECLINE in settled.options:
        return ()
    offered = [option.id for option in item.options if option.id.startswith(ONE)]
    named = offered if CREATE in settled.options else settled.options
    return tuple(sorted({int(id.removeprefix(ONE)) - 1 for id in named}))


async def _create(work: Work[IssuesWanted]) -> StepDone:
    s, asked = work.session, work.asked
    proposal = _proposal(work)
    async with open_tracker(work.hub, s.repo, proposal.tracker) as tracker:
        for index in _missing(proposal, asked):
            found = await _made(tracker, s, proposal, index)
            issue = te.MadeIssue(index=index, key=found.key, title=found.title, url=found.url)
            created = te.ProposedIssueCreated(session=s.id, proposal=proposal.id, issue=issue)
            await work.record(created)
    made = [one for one in _proposal(work).made if one.index in asked.which]
    named = ", ".join(f"{one.key} ({one.title})" for one in made)
    note = f"Made in {proposal.place}: {named}."
    return StepDone((e.NoteMade(session=s.id, turn=s.main.turn, text=note),))


def _proposal(work: Work[IssuesWanted]) -> te.IssuesProposal:
    found = work.session.tracking.proposal(work.asked.proposal)
    if found is None:
        raise NotPossible("the proposal is not kept any more: have the agent propose it again")
    return found


def _missing(proposal: te.IssuesProposal, asked: IssuesWanted) -> list[int]:
    done = {one.index for one in proposal.made}
    return [index for index in asked.which if index not in done]


async def _made(
    tracker: Tracker, s: Session, proposal: te.IssuesProposal, index: int
) -> ListedIssue:
    """The one that is there already, else a new one; sent once."""
    mark = f"(Manyhands, session {s.id}, proposal {proposal.id}.{index + 1})"
    if found := await tracker.made(mark):
        return found
    wanted = proposal.issues[index]
    body = "\n\n".join(filter(None, (wanted.body, mark)))
    try:
        return await tracker.create(NewIssue(title=wanted.title, body=body))
    except ForgeFailed as error:
        if not error.unsure or not (found := await tracker.made(mark)):
            raise
        return found


def _failed(work: Work[IssuesWanted], error: Failure) -> Sequence[e.AnyEvent]:
    """What is left is offered again, with the reason."""
    s = work.session
    proposal = s.tracking.proposal(work.asked.proposal)
    left = _missing(proposal, work.asked) if proposal else []
    if proposal is None or not left or s.life.archived:
        return ()
    problem = " ".join(filter(None, (str(error), getattr(error, "hint", ""))))
    item = _item(s, proposal, left, problem)
    return (e.AttentionRaised(session=s.id, turn=s.main.turn, item=item),)


CREATE_ISSUES = Kind(
    "create-issues", IssuesWanted, (Step("create", _create, final=True),), failed=_failed
)
