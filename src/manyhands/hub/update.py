"""Bring a session's base into it; conflicts go to its agent, and an abort restores exactly.

Steps, each harmless to repeat after a kill: stop the keeper, make a checkpoint, let git merge or
rebase in the session's own worktree, record how it went.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git import moving, refs, updating
from manyhands.git.head import set_head_back
from manyhands.git.restore import restore_snapshot
from manyhands.git.snapshot import load_snapshot
from manyhands.hub import keepers
from manyhands.hub.checkpoints import make_checkpoint, require_checkpoint
from manyhands.hub.failpoint import reach
from manyhands.hub.names import require_session
from manyhands.hub.rewind import require_still
from manyhands.model import events as e
from manyhands.model import radar_events as r
from manyhands.model.clock import now
from manyhands.model.ids import MessageId, Oid, SessionId, fresh_id
from manyhands.model.radar_fold import Update
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Batch, Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


class UpdateView(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    base: str
    commit: Oid
    """What the session starts from now."""
    conflicts: tuple[str, ...] = ()
    """Paths that its agent was asked to settle."""
    already: bool = False
    aborted: bool = False


async def update(hub: Hub, ref: str, *, method: r.UpdateMethod = "merge") -> UpdateView:
    s = require_session(hub.state, ref)
    async with hub.desk.busy[s.id]:
        return await _update(hub, s, method)


async def _update(hub: Hub, s: Session, method: r.UpdateMethod) -> UpdateView:
    await settle_update(hub, s.id)
    s = require_session(hub.state, s.id)
    onto = await asyncio.to_thread(_require_onto, s)
    if await asyncio.to_thread(updating.has_base, Path(s.worktree), onto):
        return UpdateView(session=s.id, base=s.base, commit=onto, already=True)
    await asyncio.to_thread(_require_committed, s)

    def decide(state: State) -> Decision[None]:
        newest = require_session(state, s.id)
        _require_free(newest)
        begun = r.UpdateStarted(session=s.id, at=now(), base=s.base, onto=onto, method=method)
        return Decision((begun,), None)

    await hub.write(decide)
    await finish_update(hub, s.id)
    left = require_session(hub.state, s.id).updating
    conflicts = left.conflicts if left else ()
    return UpdateView(session=s.id, base=s.base, commit=onto, conflicts=conflicts)


def _require_onto(s: Session) -> Oid:
    if s.in_place:
        raise NotPossible(f"{s.slug} works in your own checkout: bring {s.base} in there yourself")
    _require_free(s)
    if not Path(s.worktree).is_dir():
        raise NotPossible(f"the worktree {s.worktree} is missing")
    onto = refs.resolve(Path(s.repo), s.base)
    if onto is None:
        raise NotPossible(f"{s.base}, from which {s.slug} started, is not there any more")
    return onto


def _require_free(s: Session) -> None:
    require_still(s)
    if s.updating is not None:
        raise NotPossible(
            f"{s.slug} has conflicts of an earlier update: {', '.join(s.updating.conflicts[:5])}",
            hint=f"let its agent settle them, or `manyhands update {s.slug} --abort`",
        )


def _require_committed(s: Session) -> None:
    changed = moving.uncommitted(Path(s.worktree), untracked=False)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise NotPossible(
            f"{s.slug} has changes that are not committed: {changed[0]}{more}",
            hint=f"`manyhands commit {s.slug}` first",
        )


async def finish_update(hub: Hub, session: SessionId) -> None:
    """Carry out, or carry on, an update that is on record."""
    reach(hub.home, "before:update")
    s = require_session(hub.state, session)
    begun = s.updating
    if begun is None:
        return
    try:
        if s.keeper != "none":
            await keepers.stop_keeper(hub, session)
        reach(hub.home, "update:keeper-stopped")
        if not begun.checkpoint:
            kept = await make_checkpoint(hub, session)
            await hub.record(r.UpdateSecured(session=session, at=now(), checkpoint=kept.id))
        reach(hub.home, "update:checkpoint-made")
        worktree = Path(s.worktree)
        found = await asyncio.to_thread(updating.bring_in, worktree, begun.onto, begun.method)
        reach(hub.home, "update:brought-in")
        s = require_session(hub.state, session)
        events = await asyncio.to_thread(lambda: list(_applied(s, begun, found)))
    except (ManyhandsError, OSError) as error:
        await hub.record(*_broken_off(require_session(hub.state, session), begun, error))
        raise
    await hub.record(*events)
    reach(hub.home, "after:update")


def _head_before(s: Session) -> Oid:
    kept = require_checkpoint(s, s.updating.checkpoint if s.updating else "")
    return Oid(load_snapshot(Path(s.repo), kept.commit).manifest.head)


def _applied(s: Session, begun: Update, conflicts: tuple[str, ...]) -> Iterator[e.AnyEvent]:
    yield r.UpdateApplied(
        session=s.id,
        at=now(),
        turn=s.turn,
        base=begun.base,
        onto=begun.onto,
        method=begun.method,
        conflicts=conflicts,
    )
    if conflicts:
        text = _explained(s, begun, conflicts, _head_before(s))
        message = MessageId(fresh_id())
        yield e.UserMessage(session=s.id, at=now(), message=message, text=text, by="hub")


def _explained(s: Session, begun: Update, conflicts: tuple[str, ...], mine: Oid) -> str:
    """For the agent: what happened, both sides of every conflict, and how to end it."""
    opening = (
        f"The branch {begun.base} has moved on and was brought into your worktree by "
        f"`git {begun.method}`. These files are in conflict and hold markers:"
    )
    lines = [opening]
    for path in conflicts:
        ours, theirs = updating.sides_of(Path(s.worktree), path, mine, begun.onto)
        lines.append(f"\n- {path}")
        lines.append(f"  your side ({s.branch}): {'; '.join(ours) or 'your changes'}")
        lines.append(f"  their side ({begun.base}): {'; '.join(theirs) or 'its changes'}")
    last = "`git commit --no-edit`" if begun.method == "merge" else "`git rebase --continue`"
    lines.append(
        "\nKeep what both sides meant. Look at each version with `git show :2:PATH` and "
        "`git show :3:PATH`, and at the base with `git show :1:PATH`. When a file is settled, "
        f"`git add` it; when all are, run {last}. Do not abort it, and change nothing else."
    )
    return "\n".join(lines)


def _broken_off(s: Session, begun: Update, error: Exception) -> list[e.AnyEvent]:
    text = f"{begun.base} could not be brought in: {error}; what was there is kept"
    kept = s.updating.checkpoint if s.updating else ""
    return [
        r.UpdateAborted(session=s.id, at=now(), checkpoint=kept, base_commit=begun.before),
        e.NoteMade(session=s.id, at=now(), turn=s.turn, text=text),
    ]


async def abort_update(hub: Hub, ref: str) -> UpdateView:
    """Back to the checkpoint that was made before: files, index and branch."""
    s = require_session(hub.state, ref)
    async with hub.desk.busy[s.id]:
        return await _abort(hub, s)


async def _abort(hub: Hub, s: Session) -> UpdateView:
    await settle_update(hub, s.id)
    s = require_session(hub.state, s.id)
    begun = s.updating
    if begun is None or not begun.checkpoint:
        raise NotPossible(
            f"no update of {s.slug} is under way",
            hint=f"`manyhands checkpoints {s.slug}` lists what it can be brought back to",
        )
    require_still(s)
    if s.keeper != "none":
        await keepers.stop_keeper(hub, s.id)
    await make_checkpoint(hub, s.id)
    target = require_checkpoint(s, begun.checkpoint)
    await asyncio.to_thread(_put_back, s, target.commit)
    done = r.UpdateAborted(
        session=s.id, at=now(), checkpoint=begun.checkpoint, base_commit=begun.before
    )
    await hub.record(done)
    return UpdateView(session=s.id, base=s.base, commit=begun.before, aborted=True)


def _put_back(s: Session, commit: Oid) -> None:
    repo, worktree = Path(s.repo), Path(s.worktree)
    updating.take_back(worktree)
    set_head_back(worktree, load_snapshot(repo, commit).manifest)
    restore_snapshot(repo, worktree, commit, undo_ref=f"refs/manyhands/undo/{s.id}")


def look_after_turns(hub: Hub, batch: Batch) -> None:
    """An agent whose turn ended may have settled the conflicts that it was given."""
    for event in batch.events:
        if isinstance(event, e.TurnFinished):
            s = hub.state.session(event.session)
            if s is not None and s.updating is not None:
                hub.fleet.spawn(settle_update(hub, event.session))


async def settle_update(hub: Hub, session: SessionId) -> None:
    """Record that an update's conflicts are settled, once git says so."""
    s = hub.state.session(session)
    if s is None or s.updating is None or not s.updating.conflicts or s.step == "update":
        return
    onto = s.updating.onto
    if await asyncio.to_thread(updating.has_base, Path(s.worktree), onto):
        await hub.record(r.UpdateFinished(session=session, at=now(), onto=onto))
