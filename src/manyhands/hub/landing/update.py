"""Bring a session's base into it; conflicts go to its agent, and an abort restores exactly.

A job: stop the keeper, make a checkpoint, let git merge or rebase in the session's own worktree,
record how it went.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from manyhands.contract.landing import UpdateView
from manyhands.errors import ManyhandsError, NotPossible
from manyhands.hub.core import (
    Hub,
    Jobs,
    Reactor,
    agent_environment,
    require_session,
    rest_twin,
    settle_twin,
    worktree_of,
)
from manyhands.hub.core.work import Kind, Step, StepDone, Work
from manyhands.hub.files.checkpoints import make_checkpoint, require_checkpoint
from manyhands.hub.files.rewind import require_still, stop_keeper
from manyhands.hub.fleet import keepers
from manyhands.hub.repos.bases import Bases, base_view
from manyhands.model import events as e
from manyhands.model.ids import JobId, MessageId, Oid, SessionId, fresh_id
from manyhands.model.landing import merge_events as r
from manyhands.model.landing.merges import Update
from manyhands.model.repo.bases import BaseNow
from manyhands.model.session.session import Session
from manyhands.station.landing import update as station
from manyhands.station.landing.update import UpdateClash, UpdateStanding

STEP = "update"


async def update(hub: Hub, ref: str, *, method: r.UpdateMethod = "merge") -> UpdateView:
    s = require_session(hub.state, ref)
    jobs = hub.part(Jobs)
    async with jobs.lanes[s.id]:
        begun = await _begin(hub, s, method)
    return begun if isinstance(begun, UpdateView) else await jobs.answer(begun, UpdateView)


async def _begin(hub: Hub, s: Session, method: r.UpdateMethod) -> UpdateView | JobId:
    await settle_update(hub, s.id)
    s = require_session(hub.state, s.id)
    if s.workspace.in_place:
        raise NotPossible(
            f"{s.slug} works in your own checkout: bring {s.workspace.base} in there yourself"
        )
    _require_free(s)
    base = await hub.part(Bases).fetch(s.repo, s.workspace.base)
    onto, name = require_onto(s, base)
    standing = await station.load_standing(worktree_of(hub, s), onto)
    if standing.has_base:
        view = base_view(base)
        return UpdateView(session=s.id, base=name, commit=onto, standing=view, already=True)
    _require_clean(s, standing)
    begun = r.UpdateStarted(session=s.id, base=name, onto=onto, method=method)
    free = lambda state: _require_free(require_session(state, s.id))  # noqa: E731
    return await hub.part(Jobs).start(UPDATE, Updating(onto=onto), s, begun, allowed=free)


class Updating(msgspec.Struct, frozen=True, kw_only=True):
    onto: Oid


def require_onto(s: Session, base: BaseNow) -> tuple[Oid, str]:
    """The commit to bring in, and by which name. What goes to a forge is held against the forge's
    own branch: nothing that is only here must come into its pull request."""
    pr = s.landing.pr
    if pr is not None and pr.state in ("open", "draft") and base.upstream:
        return base.upstream, base.tracking
    if not base.tip:
        raise NotPossible(f"{s.workspace.base}, from which {s.slug} started, is not there any more")
    return base.tip, base.tip_name


def _require_clean(s: Session, standing: UpdateStanding) -> None:
    if not standing.is_there:
        raise NotPossible(f"the worktree {s.workspace.worktree} is missing")
    changed = standing.changed
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise NotPossible(
            f"{s.slug} has changes that are not committed: {changed[0]}{more}",
            hint=f"`manyhands commit {s.slug}` first",
        )


def _require_free(s: Session) -> None:
    require_still(s)
    if s.merges.update is not None:
        paths = ", ".join(s.merges.update.conflicts[:5])
        raise NotPossible(
            f"{s.slug} has conflicts of an earlier update: {paths}",
            hint=f"let its agent settle them, or `manyhands update {s.slug} --abort`",
        )


def _is_unkept(work: Work[Updating]) -> bool:
    return work.session.merges.update is not None and not work.session.merges.update.checkpoint


async def _keep(work: Work[Updating]) -> StepDone:
    session = work.session.id
    kept = await make_checkpoint(work.hub, session)
    return StepDone((r.UpdateSecured(session=session, checkpoint=kept.id),))


async def _bring_in(work: Work[Updating]) -> StepDone | None:
    s, begun = work.session, work.session.merges.update
    if begun is None:
        return None
    kept = require_checkpoint(s, begun.checkpoint)
    env = await agent_environment(work.hub, s)
    clashes = await station.bring_in(worktree_of(work.hub, s), begun, kept.commit, env)
    await settle_twin(work.hub, s)
    paths = tuple(clash.path for clash in clashes)
    view = UpdateView(
        session=s.id,
        base=begun.base,
        commit=begun.onto,
        conflicts=paths,
        standing=base_view(await work.hub.part(Bases).now(s.repo, s.workspace.base)),
    )
    return StepDone(list(_applied(s, begun, clashes)), answer=view)


def _applied(s: Session, begun: Update, clashes: list[UpdateClash]) -> Iterator[e.AnyEvent]:
    yield r.UpdateApplied(
        session=s.id,
        turn=s.main.turn,
        base=begun.base,
        onto=begun.onto,
        method=begun.method,
        conflicts=tuple(clash.path for clash in clashes),
    )
    if clashes:
        text = _explained(s, begun, clashes)
        message = MessageId(fresh_id())
        yield e.UserMessage(session=s.id, message=message, text=text, by="hub")


def _explained(s: Session, begun: Update, clashes: list[UpdateClash]) -> str:
    """For the agent: what happened, both sides of every conflict, and how to end it."""
    opening = (
        f"The branch {begun.base} has moved on and was brought into your worktree by "
        f"`git {begun.method}`. These files are in conflict and hold markers:"
    )
    lines = [opening]
    for clash in clashes:
        ours, theirs = "; ".join(clash.ours), "; ".join(clash.theirs)
        lines.append(f"\n- {clash.path}")
        lines.append(f"  your side ({s.workspace.branch}): {ours or 'your changes'}")
        lines.append(f"  their side ({begun.base}): {theirs or 'its changes'}")
    last = "`git commit --no-edit`" if begun.method == "merge" else "`git rebase --continue`"
    lines.append(
        "\nKeep what both sides meant. Look at each version with `git show :2:PATH` and "
        "`git show :3:PATH`, and at the base with `git show :1:PATH`. When a file is settled, "
        f"`git add` it; when all are, run {last}. Do not abort it, and change nothing else."
    )
    return "\n".join(lines)


def _failed(work: Work[Updating], error: ManyhandsError | OSError) -> list[e.AnyEvent]:
    s, begun = work.session, work.session.merges.update
    if begun is None:
        return []
    text = f"{begun.base} could not be brought in: {error}; what was there is kept"
    before = begun.before
    return [
        r.UpdateAborted(session=s.id, checkpoint=begun.checkpoint, base_commit=before),
        e.NoteMade(session=s.id, turn=s.main.turn, text=text),
    ]


def _left(s: Session) -> Updating | None:
    begun = s.merges.update if s.life.step == STEP and not s.life.error else None
    return Updating(onto=begun.onto) if begun else None


UPDATE = Kind(
    STEP,
    Updating,
    (
        Step("keeper", stop_keeper),
        Step("checkpoint", _keep, needed=_is_unkept),
        Step("base", _bring_in, final=True),
    ),
    failed=_failed,
    left=_left,
)


async def abort_update(hub: Hub, ref: str) -> UpdateView:
    """Back to the checkpoint that was made before: files, index and branch."""
    s = require_session(hub.state, ref)
    async with hub.part(Jobs).lanes[s.id]:
        await settle_update(hub, s.id)
        s = require_session(hub.state, s.id)
        begun = s.merges.update
        if begun is None or not begun.checkpoint:
            raise NotPossible(
                f"no update of {s.slug} is under way",
                hint=f"`manyhands checkpoints {s.slug}` lists what it can be brought back to",
            )
        require_still(s)
        await keepers.stop_keeper(hub, s.id)
        await make_checkpoint(hub, s.id)
        target = require_checkpoint(s, begun.checkpoint)
        env = await agent_environment(hub, s)
        await station.put_back(worktree_of(hub, s), target.commit, env)
        await rest_twin(hub, s)
        done = r.UpdateAborted(session=s.id, checkpoint=target.id, base_commit=begun.before)
        await hub.record(done)
    return UpdateView(session=s.id, base=s.workspace.base, commit=begun.before, aborted=True)


class Updates(Reactor):
    """An agent whose turn ended may have settled the conflicts that it was given."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        hub.on(e.TurnFinished, self._turn_finished)

    def _turn_finished(self, event: e.TurnFinished) -> None:
        s = self._hub.state.session(event.session)
        if s is not None and s.merges.update is not None:
            self._hub.spawn(settle_update(self._hub, event.session))


async def settle_update(hub: Hub, session: SessionId) -> None:
    """Record that an update's conflicts are settled, once git says so."""
    s = require_session(hub.state, session)
    begun = s.merges.update
    if begun is None or not begun.conflicts or s.life.step == STEP:
        return
    await settle_twin(hub, s)
    if await station.has_base(worktree_of(hub, s), begun.onto):
        await hub.record(r.UpdateFinished(session=session, onto=begun.onto))
