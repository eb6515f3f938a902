"""Commit a session's work as the user, a subset or all, once however often it is asked.

Hooks run as the agent would run them, and only those that a person has approved.

A job: before git runs, the commit is on record with an id, and the commit itself carries that id in
its reflog entry. Whoever carries on after a death looks there first.
"""

from __future__ import annotations

import msgspec

from manyhands.contract.landing import Commit, Committed, Proposal, Wish
from manyhands.errors import BadInput, GitFailed, ManyhandsError, NotPossible
from manyhands.hub.core import (
    Hub,
    Jobs,
    agent_surroundings,
    require_session,
    settle_twin,
    worktree_of,
)
from manyhands.hub.core.work import Kind, Step, StepDone, Work
from manyhands.hub.fleet.secrets import require_no_secret
from manyhands.hub.landing.commit_message import ask_agent, propose, refers
from manyhands.hub.landing.desk import is_at_work, require_landable
from manyhands.hub.landing.hooks import require_trusted_commit
from manyhands.model import events as e
from manyhands.model.ids import CommandId, JobId, fresh_id
from manyhands.model.landing import events as le
from manyhands.model.landing.landing import CommitUnderWay
from manyhands.model.session.session import Session
from manyhands.station.landing import commit as station

LONGEST_MESSAGE = 64 * 1024
KEPT_OUTPUT = 256 * 1024
"""How much of what the hooks said is told, from the end."""


async def proposal(hub: Hub, ref: str, paths: tuple[str, ...] = ()) -> Proposal:
    s = require_session(hub.state, ref)
    async with hub.part(Jobs).lanes[s.id]:
        files = await station.load_changed(await require_landable(hub, s), paths)
    found = await propose(hub, s, files)
    return Proposal(
        message=found.text, files=tuple(files), working=is_at_work(s), by_agent=found.by_agent
    )


async def asked_proposal(hub: Hub, ref: str, wish: Wish) -> Proposal:
    """The agent is asked in a conversation beside its work; as without where it has no word."""
    s = require_session(hub.state, ref)
    plain = await proposal(hub, ref, wish.paths)
    async with hub.part(Jobs).lanes[s.id]:
        at = await require_landable(hub, s)
        patch = await station.load_patch(at, wish.paths) if plain.files else ""
    if not patch:
        return plain
    try:
        said = await ask_agent(hub, s, patch)
    except ManyhandsError as error:
        return msgspec.structs.replace(plain, note=error.message)
    message = "\n\n".join(filter(None, (said.strip(), refers(s)))) + "\n"
    return msgspec.structs.replace(plain, message=message, by_agent=True)


async def commit(
    hub: Hub, ref: str, asked: Commit, *, command: CommandId | None = None
) -> Committed:
    s, jobs = require_session(hub.state, ref), hub.part(Jobs)
    if (job := await jobs.begun_by(command)) is None:
        await require_landable(hub, s)
        _require_sensible(s, asked)
        async with jobs.alone(COMMIT, s.id):
            job = await _begin(hub, require_session(hub.state, s.id), asked, command)
    return await jobs.answer(job, Committed)


def _require_sensible(s: Session, asked: Commit) -> None:
    if len(asked.message) > LONGEST_MESSAGE:
        raise BadInput(f"the message is longer than {LONGEST_MESSAGE // 1024} kB")
    if is_at_work(s) and not asked.anyway:
        raise NotPossible(
            f"the agent of {s.slug} is at work, so half-done files would be committed",
            hint=f"`manyhands wait {s.slug}` first, or commit them --anyway",
        )


async def _begin(hub: Hub, s: Session, asked: Commit, command: CommandId | None) -> JobId:
    at = await require_landable(hub, s)
    found = await station.load_pending(at, asked.paths, amend=asked.amend)
    if not found.is_own:
        raise NotPossible(f"{s.slug} has no commit of its own to amend")
    if not found.changed and not (asked.amend and asked.message):
        if (lost := _unheard(hub, s, asked)) is not None:
            return lost
        raise NotPossible(f"there is nothing to commit in {s.slug}")
    message = asked.message.strip() and asked.message
    if not message:
        proposed = found.message if asked.amend else ""
        message = proposed or (await propose(hub, s, found.changed)).text
    await require_no_secret(hub, s, message, "the commit message")
    begun = CommitUnderWay(
        id=fresh_id(), head=found.head, message=message, paths=asked.paths, amend=asked.amend
    )
    on_record = le.CommitStarted(session=s.id, **msgspec.structs.asdict(begun))
    return await hub.part(Jobs).start(COMMIT, begun, s, on_record, command=command)


def _unheard(hub: Hub, s: Session, asked: Commit) -> JobId | None:
    """The job of the last commit, if it was this very wish and whoever asked was cut off from it by
    the end of an earlier hub."""
    last = s.landing.commit.id if s.landing.commit else ""
    made = (job for job in hub.state.jobs.values() if job.kind == COMMIT.name)
    for job in made if last else ():
        begun = msgspec.convert(job.asked, CommitUnderWay)
        same = (begun.id, begun.paths, begun.amend) == (last, asked.paths, asked.amend)
        if same and asked.message in ("", begun.message) and hub.part(Jobs).is_inherited(job):
            return job.id
    return None


async def _make(work: Work[CommitUnderWay]) -> StepDone:
    hub, s, begun = work.hub, work.session, work.asked
    at, seconds = await require_landable(hub, s), hub.last_settings.landing.hook_seconds
    made = await station.find_commit(at, begun, seconds)
    if made is None and is_at_work(s) and hub.part(Jobs).is_inherited(work.job):
        raise NotPossible("it was cut off before anything was committed, and the agent went on")
    try:
        if made is None:
            await require_trusted_commit(hub, s)
            within = await agent_surroundings(hub, s)
            made = await station.make_commit(at, begun, within, seconds)
    except GitFailed as error:
        late = "no end after" in error.message
        why = "did not end in time" if late else "did not let it through"
        raise NotPossible(
            f"nothing was committed: git or a hook {why}\n{error.stderr.strip()}",
            hint="see [landing] hook_seconds" if late else "mend what the hook names, then again",
        ) from error
    return StepDone(
        noted={"made": msgspec.structs.replace(made, output=made.output[-KEPT_OUTPUT:])}
    )


async def _follow(work: Work[CommitUnderWay]) -> StepDone:
    s, begun, made = work.session, work.asked, work.noted("made", station.Made)
    within = await agent_surroundings(work.hub, s)
    made = await station.follow_commit(worktree_of(work.hub, s), begun, made, within)
    await settle_twin(work.hub, s)
    told = {"session": s.id, "message": begun.message, **msgspec.structs.asdict(made)}
    recorded = le.CommitMade(turn=s.main.turn, id=begun.id, **told)
    return StepDone((recorded,), answer=Committed(**told))


def _failed(work: Work[CommitUnderWay], error: ManyhandsError | OSError) -> list[e.AnyEvent]:
    cause = error.__cause__ if isinstance(error.__cause__, GitFailed) else None
    said = cause.stderr[-KEPT_OUTPUT:] if cause else ""
    why, id = str(cause or error), work.asked.id
    return [le.CommitFailed(session=work.session.id, id=id, error=why, output=said)]


COMMIT = Kind(
    "commit",
    CommitUnderWay,
    (Step("git", _make, final=True), Step("index", _follow)),
    failed=_failed,
    left=lambda s: s.landing.committing,
)
"""What git has made is not taken back."""
