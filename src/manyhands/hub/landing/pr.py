"""Open a session's pull request, or bring the one that is there up to date.

A job. The pull request is looked up by its head before one is created and again where no clear
answer came, so that carrying on or asking again, after whatever fault, never makes a second.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator

import msgspec

from manyhands.contract.landing import OpenPr, PrOpened, PrPlan
from manyhands.errors import BadInput, ForgeDenied, ForgeFailed, NotFound, NotPossible
from manyhands.forges import values as v
from manyhands.forges.forge import LONGEST_BODY, ForgeRepo
from manyhands.hub.core import Hub, Jobs, require_session, worktree_of
from manyhands.hub.core.work import Kind, Step, StepDone, Work
from manyhands.hub.forge.forge import Forge, open_forge
from manyhands.hub.landing.checks import check_tip, clear_checks
from manyhands.hub.landing.desk import Desk, require_landable
from manyhands.hub.landing.pr_text import PrText, pr_text
from manyhands.hub.landing.push import findings, push, require_accepted, require_own_branch
from manyhands.hub.landing.stack import landed, parent_of
from manyhands.model.ids import Oid
from manyhands.model.landing import events as le
from manyhands.model.landing.landing import Pushed
from manyhands.model.session.session import Session
from manyhands.station.landing.checks import load_checks
from manyhands.station.landing.push import count_uncommitted, load_ahead, load_branches
from manyhands.station.landing.standing import require_standing

log = logging.getLogger(__name__)
TAKEN = (409, 422)
"""So forges refuse a second one, among other things."""
DENIED = 403


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where the pull request goes."""

    repo: str
    """`owner/name` of the repository that takes it in."""
    base: str
    tip: Oid
    commits: int
    source: str = msgspec.field(name="owner")
    """The repository that holds the branch: this one, or a fork; or, from earlier, its owner."""


class PrOpening(msgspec.Struct, frozen=True, kw_only=True):
    wish: OpenPr
    target: Target
    existing: int = 0
    """The number of the one that is open already."""


async def plan_pr(hub: Hub, ref: str, base: str = "", template: str = "") -> PrPlan:
    s = require_session(hub.state, ref)
    await require_landable(hub, s)
    opened = open_forge(hub, s.repo, s.workspace.worktree)
    async with hub.part(Jobs).alone(PR, s.id), opened as forge:
        target = await _target(hub, s, forge, base)
        found = await findings(hub, s, forge)
        repo, at = forge.repo.of(target.repo), worktree_of(hub, s)
        existing = await _newest(repo, target, s.workspace.branch)
        text = await pr_text(hub, s, target.tip, repo, template)
        parent = parent_of(hub.state, s)
        bases = [target.base, *await load_branches(at, forge.remote.name)]
        return PrPlan(
            title=text.title,
            body=text.body,
            base=target.base,
            repo=target.repo,
            commits=target.commits,
            findings=tuple(found),
            uncommitted=await count_uncommitted(at),
            existing=seen(existing, target.repo, s) if existing else None,
            existing_body=existing.body if existing else "",
            bases=tuple(name for name in dict.fromkeys(bases) if name != s.workspace.branch),
            templates=text.templates,
            template=text.template,
            labels=await _offered(repo.labels),
            reviewers=await _offered(repo.people),
            checks=(await load_checks(at, target.tip)).run,
            stacked=parent.id if parent else "",
            notes=tuple(_notes(text, parent, target)),
        )


async def _offered(ask: Callable[[], Awaitable[list[str]]]) -> tuple[str, ...]:
    """What can be chosen from; not every token may see it."""
    try:
        return tuple(await ask())
    except ForgeFailed as error:
        log.info("the forge does not tell what there is to choose from: %s", error)
        return ()


def _notes(text: PrText, parent: Session | None, target: Target) -> Iterator[str]:
    if text.templates and not text.template:
        yield f"the repository has several templates, choose one: {', '.join(text.templates)}"
    if parent is not None and target.base == parent.workspace.branch:
        yield f"it is stacked on {parent.slug}, and goes into its branch until that has landed"


async def pr(hub: Hub, ref: str, asked: OpenPr) -> PrOpened:
    s, jobs = require_session(hub.state, ref), hub.part(Jobs)
    await require_landable(hub, s)
    if asked.body is not None and len(asked.body) > LONGEST_BODY:
        raise BadInput(f"the body is longer than {LONGEST_BODY} characters")
    async with jobs.alone(PR, s.id):
        s = require_session(hub.state, s.id)
        async with open_forge(hub, s.repo, s.workspace.worktree) as forge:
            target = await _target(hub, s, forge, asked.base)
            existing = await _newest(forge.repo.of(target.repo), target, s.workspace.branch)
            _require_open(existing, asked)
            require_accepted(await findings(hub, s, forge), asked.accept)
        number = existing.number if existing is not None and existing.state == "open" else 0
        job = await jobs.start(PR, PrOpening(wish=asked, target=target, existing=number), s)
    return await jobs.answer(job, PrOpened)


async def _check(work: Work[PrOpening]) -> StepDone:
    return StepDone(noted={"checks": await check_tip(work, work.asked.target.tip)})


async def _push(work: Work[PrOpening]) -> StepDone:
    s = work.session
    async with open_forge(work.hub, s.repo, s.workspace.worktree) as forge:
        pushed, events = await push(work.hub, s, forge)
    return StepDone(events, {"pushed": pushed})


async def _open(work: Work[PrOpening]) -> StepDone:
    s, asked, pushed = work.session, work.asked, work.noted("pushed", Pushed)
    async with open_forge(work.hub, s.repo) as forge:
        repo = forge.repo.of(asked.target.repo)
        there = await _newest(repo, asked.target, s.workspace.branch)
        if there is not None and there.state == "open":
            pull = await _update(repo, there, asked.wish)
        else:
            pull = await _create(work, repo)
        notes = await _adorn(repo, pull, asked.wish)
    opened = msgspec.structs.replace(seen(pull, asked.target.repo, s), head=pushed.commit)
    changed = [le.PrChanged(session=s.id, pr=opened)] if opened != s.landing.pr else []
    left = await count_uncommitted(worktree_of(work.hub, s))
    if left:
        notes.insert(0, f"{left} changed files are not committed, so they are not in it")
    if asked.wish.check and not work.noted("checks", list[str]):
        notes.insert(0, "the repository has no [checks], so that nothing was run first")
    work.hub.part(Desk).stir.set()
    answer = PrOpened(
        session=s.id,
        pr=opened,
        created=opened.number != asked.existing,
        forced=pushed.forced,
        output=pushed.output,
        notes=tuple(notes),
    )
    return StepDone(changed, answer=answer)


PR = Kind(
    "pr",
    PrOpening,
    (
        Step("check", _check, needed=lambda work: work.asked.wish.check, undo=clear_checks),
        Step("push", _push),
        Step("open", _open, final=True),
    ),
)


def seen(pull: v.Pull, repo: str, s: Session) -> le.Pr:
    """What is known of it; checks and reviews as they were, for the same commit."""
    before = s.landing.pr
    same = before is not None and (before.number, before.head) == (pull.number, pull.sha)
    state: le.PrState = "draft" if pull.draft else "open"
    if pull.state != "open":
        state = pull.state
    return le.Pr(
        number=pull.number,
        url=pull.url,
        repo=repo,
        state=state,
        checks=before.checks if before and same else "none",
        review=before.review if before and same else "none",
        title=pull.title,
        base=pull.base,
        head=Oid(pull.sha),
        landed=Oid(pull.merge_commit if pull.state == "merged" else ""),
    )


async def _target(hub: Hub, s: Session, forge: Forge, base: str) -> Target:
    await require_standing(worktree_of(hub, s))
    known = await forge.repo.facts()
    require_own_branch(s, known.default_branch)
    if known.archived:
        raise NotPossible(f"{known.slug} is archived on the forge and takes nothing in")
    if not known.may_push:
        raise ForgeDenied(
            f"the token may not push to {known.slug}",
            hint="fork it and make the fork the remote origin, or ask for the right to push",
            status=DENIED,
        )
    repo = forge.repo.of(known.parent or known.slug)
    default = known.parent_branch or known.default_branch
    if base:
        await repo.require_branch(base)
    if not base and not known.parent:
        base = await _stacked_on(hub, s, repo, forge.remote.name, default)
    ahead = await load_ahead(worktree_of(hub, s), forge.remote.name, base, default)
    if not ahead.commits:
        raise NotPossible(
            f"{s.slug} has no committed change against {ahead.base}, "
            "so there is nothing to propose",
            hint=f"`manyhands commit {s.slug}` first",
        )
    return Target(
        repo=repo.slug,
        base=ahead.base,
        tip=ahead.tip,
        commits=ahead.commits,
        source=known.slug,
    )


async def _stacked_on(hub: Hub, s: Session, repo: ForgeRepo, remote: str, default: str) -> str:
    """The branch of the session that it is stacked on, until that has landed. Not from a fork: a
    forge takes proposals only to branches of the repository itself."""
    parent = parent_of(hub.state, s)
    if parent is None:
        return ""
    if (done := landed(parent)) is not None:
        return done.into.removeprefix(f"{remote}/")
    try:
        await repo.require_branch(parent.workspace.branch)
    except NotFound as error:
        raise NotPossible(
            f"{s.slug} is stacked on {parent.slug}, whose branch is not on the forge",
            hint=f"`manyhands pr {parent.slug}` first, or propose both: --base {default}",
        ) from error
    return parent.workspace.branch


async def _newest(repo: ForgeRepo, target: Target, branch: str) -> v.Pull | None:
    """The one that is open, else the last one."""
    pulls = await repo.pulls_from(target.source, branch)
    return next((p for p in pulls if p.state == "open"), pulls[0] if pulls else None)


def _require_open(existing: v.Pull | None, asked: OpenPr) -> None:
    if existing is None or existing.state == "open" or asked.again:
        return
    raise NotPossible(
        f"{existing.called} was {existing.state} already",
        hint="open another one with --again, or reopen it on the forge",
    )


async def _create(work: Work[PrOpening], repo: ForgeRepo) -> v.Pull:
    s, asked, target = work.session, work.asked.wish, work.asked.target
    text = await pr_text(work.hub, s, target.tip, repo, asked.template)
    new = v.NewPull(
        title=asked.title or text.title,
        body=text.body if asked.body is None else asked.body,
        head=s.workspace.branch,
        head_repo=target.source,
        base=target.base,
        draft=bool(asked.draft),
    )
    try:
        return await repo.create_pull(new)
    except ForgeFailed as error:
        if not error.unsure and error.status not in TAKEN:
            raise
        found = await _newest(repo, target, s.workspace.branch)
        if found is None or found.state != "open":
            raise
        return found


async def _update(repo: ForgeRepo, pull: v.Pull, asked: OpenPr) -> v.Pull:
    """Only what was given: the rest may have been edited by people."""
    wanted = {"title": asked.title, "body": asked.body, "base": asked.base}
    now_is = {"title": pull.title, "body": pull.body, "base": pull.base}
    changed = {k: new for k, new in wanted.items() if new and new != now_is[k]}
    return await repo.update_pull(pull, **changed, draft=asked.draft)


async def _adorn(repo: ForgeRepo, pull: v.Pull, asked: OpenPr) -> list[str]:
    """Labels and reviewers; the pull request is open whatever becomes of these."""
    notes = []
    for what, ask, names in (
        ("labels could not be set", repo.add_labels, asked.labels),
        ("reviewers could not be asked", repo.ask_reviewers, asked.reviewers),
    ):
        try:
            if names:
                await ask(pull.number, names)
        except ForgeFailed as error:
            notes.append(f"the {what}: {error.message}")
    return notes
