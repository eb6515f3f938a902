"""The step that gives a session its worktree: a spare handed over, or one made for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError
from manyhands.git import lfs, refs, worktrees
from manyhands.git.recovery import recover_half_made
from manyhands.git.runner import Git
from manyhands.git.spares import hand_over
from manyhands.git.submodules import has_submodules, initialise_submodules
from manyhands.git.worktrees import add_worktree
from manyhands.hub.codename import fresh_worktree
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)


async def make_worktree(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    if s.in_place or s.adopted:
        notes = await asyncio.to_thread(_take_as_it_is, s)
    elif s.spare:
        s, notes = await _take_spare(hub, s)
    else:
        notes = await _make(hub, s)
    made = e.WorktreeReady(
        session=s.id, at=now(), worktree=s.worktree, branch=s.branch, base_commit=s.base_commit
    )
    return (*(e.NoteMade(session=s.id, at=now(), text=note) for note in notes), made)


async def _take_spare(hub: Hub, s: Session) -> tuple[Session, list[str]]:
    """The leased spare; where it is of no use, a worktree of its own at another place."""
    give = partial(hand_over, session=s.id, lock_dir=hub.home.locks)
    try:
        named = (Path(s.repo), Path(s.worktree), s.branch, s.base_commit)
        return s, await asyncio.to_thread(give, *named)
    except (ManyhandsError, OSError) as error:
        log.info("the spare of %s was not taken: %s", s.id, error)
        place = str(fresh_worktree(hub.home, s.repo))
        await hub.record(
            e.WorktreePlanned(session=s.id, at=now(), worktree=place, reason=str(error))
        )
    hub.cut_off.add(s.id)
    planned = hub.state.session(s.id) or s
    return planned, await _make(hub, planned)


async def _make(hub: Hub, s: Session) -> list[str]:
    # As many at a time as there are cores: more would only slow the first one down.
    async with hub.making:
        return await asyncio.to_thread(_add, hub, s)


def _add(hub: Hub, s: Session) -> list[str]:
    repo, path = Path(s.repo), Path(s.worktree)
    named = (repo, path, s.branch, s.tip or s.base_commit)
    recover = partial(recover_half_made, session=s.id, lock_dir=hub.home.locks)
    # What an earlier try left is finished or taken back by our own record; a first try has none.
    if s.id not in hub.cut_off or recover(*named, new_branch=s.new_branch) != "whole":
        hub.cut_off.add(s.id)
        add = partial(add_worktree, session=s.id, lock_dir=hub.home.locks, run_hooks=True)
        add(*named, new_branch=s.new_branch)
    notes = []
    if has_submodules(path):
        notes = initialise_submodules(path, refs.common_dir(repo), Git(path, hardened=False))
    hub.cut_off.discard(s.id)
    missing = lfs.missing_files_note(path)
    return [*notes, missing] if missing else notes


def _take_as_it_is(s: Session) -> list[str]:
    path = Path(s.worktree)
    found = refs.require_worktree(path)
    if s.adopted:
        entry = worktrees.find_worktree(Path(s.repo), path)
        # Another tool's lock says whose it is; where there is none, `prune` must not take it.
        if entry is not None and entry.locked is None:
            worktrees.set_lock(Path(s.repo), path, worktrees.lock_reason(s.id))
    return [f"Works in the main checkout itself, {found.toplevel}"] if s.in_place else []
