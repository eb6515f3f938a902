"""The steps that give a session its worktree, a spare handed over or one made for it, and the
files in it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence

from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub, agent_environment, worktree_of
from manyhands.hub.creation.codename import fresh_worktree
from manyhands.keeper.checkpoint import BEGINNING
from manyhands.model import events as e
from manyhands.model.session.session import Session
from manyhands.station.creation import worktrees as station

log = logging.getLogger(__name__)


class Making:
    def __init__(self, hub: Hub) -> None:
        self.turn = asyncio.Semaphore(os.cpu_count() or 1)
        """Held while a new worktree is checked out."""
        self.cut_off = {s.id for s in hub.state.all_sessions().values() if not s.life.ready}
        """Sessions whose creation an earlier hub, or an earlier try, did not finish."""


async def make_worktree(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    if s.workspace.in_place or s.workspace.adopted:
        notes = await station.take_as_it_is(worktree_of(hub, s))
    elif s.workspace.spare:
        s, notes = await _take_spare(hub, s)
    else:
        notes = await _make(hub, s)
    made = e.WorktreeReady(
        session=s.id,
        worktree=s.workspace.worktree,
        branch=s.workspace.branch,
        base_commit=s.workspace.base_commit,
    )
    return (*(e.NoteMade(session=s.id, text=note) for note in notes), made)


async def _take_spare(hub: Hub, s: Session) -> tuple[Session, list[str]]:
    """The leased spare; where it is of no use, a worktree of its own at another place."""
    try:
        env = await agent_environment(hub, s)
        return s, await station.take_spare(hub.home, worktree_of(hub, s), env)
    except (ManyhandsError, OSError) as error:
        log.info("the spare of %s was not taken: %s", s.id, error)
        place = str(fresh_worktree(hub.home, s.repo))
        await hub.record(e.WorktreePlanned(session=s.id, worktree=place, reason=str(error)))
    hub.part(Making).cut_off.add(s.id)
    planned = hub.state.session(s.id) or s
    return planned, await _make(hub, planned)


async def _make(hub: Hub, s: Session) -> list[str]:
    making, at = hub.part(Making), worktree_of(hub, s)
    env = await agent_environment(hub, s)
    tip, new_branch = s.workspace.tip or s.workspace.base_commit, s.workspace.new_branch
    # As many at a time as there are cores: more would only slow the first one down.
    async with making.turn:
        # A first try has left nothing that could be recovered.
        recover = s.id in making.cut_off
        making.cut_off.add(s.id)
        notes = await station.add_worktree(
            hub.home, at, tip, new_branch=new_branch, recover=recover, env=env
        )
        making.cut_off.discard(s.id)
    return notes


async def plant_seed(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """A fork gets the files of its checkpoint."""
    await station.plant_seed(worktree_of(hub, s), s.workspace.seed, s.origin)
    made = e.CheckpointMade(session=s.id, checkpoint=BEGINNING, commit=s.workspace.seed)
    return (made,)


async def copy_files(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """Ignored and untracked files come along from the main checkout."""
    limit = int(hub.last_settings.workspaces.copy_mb * 1024 * 1024)
    carried = await station.carry_files(worktree_of(hub, s), limit)
    if not carried.files and not carried.left_out:
        return ()
    copied = e.FilesCopied(session=s.id, files=carried.files, left_out=carried.left_out)
    return (copied,)
