"""The pool of spare worktrees: filled, kept up to date and taken back, at low priority.

Level-triggered as the fleet is: whatever happens, the pool of a repository looks at the committed
state and does one chore after another until there is none. A spare is changed only while it is
not ready, and each change is recorded first under a higher token. So a spare that is leased
meanwhile is out of reach, and what a hub leaves when it dies is taken back by the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError
from manyhands.git.ref_table import load_ref_table
from manyhands.git.runner import end_background
from manyhands.git.spares import add_spare, refresh_spare, remove_spare
from manyhands.hub.codename import fresh_worktree
from manyhands.hub.crowding import CROWDED_SECONDS, is_crowded
from manyhands.hub.trust import unapproved
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import Oid, fresh_id
from manyhands.model.state import Repo, Spare, State
from manyhands.store import Batch, Decision
from manyhands.workspace.pool import (
    Chore,
    Drop,
    Fill,
    Refresh,
    is_in_use,
    is_quiet,
    next_chore,
)
from manyhands.workspace.pool_install import install_dependencies
from manyhands.workspace.runnable import runnable_at, runnable_hooks

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)
LOOK_SECONDS = 60.0
"""How often it is looked whether a base has moved that nobody told us about."""


class Pool:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._tended: dict[str, bool] = {}
        self._turn = asyncio.Lock()
        self._closing = False

    def start(self) -> None:
        self._hub.fleet.spawn(self._look_again())

    def close(self) -> None:
        """A spare that is being filled is left; the next hub takes it back."""
        self._closing = True
        end_background()

    def committed(self, batch: Batch) -> None:
        for repo in set(_repos_to_tend(batch, self._hub.state)):
            self.consider(repo)

    def consider(self, path: str) -> None:
        repo = self._hub.state.repo(path)
        if path in self._tended:
            self._tended[path] = True
        elif not self._closing and repo and (repo.spares or is_in_use(self._hub.state, repo)):
            self._tended[path] = True
            self._hub.fleet.spawn(self._tend(path))

    async def _look_again(self) -> None:
        while True:
            for path in list(self._hub.state.repos):
                self.consider(path)
            await asyncio.sleep(LOOK_SECONDS)

    async def _tend(self, path: str) -> None:
        try:
            while self._tended[path] and not self._closing:
                self._tended[path] = False
                # One at a time in all: spares must not compete with people for the machine.
                async with self._turn:
                    while await self._do_next(path):
                        pass
        finally:
            del self._tended[path]

    async def _do_next(self, path: str) -> bool:
        """Do one chore; false if there was none, or it failed and waits for the next occasion."""
        await self._calm()
        chore = await self._chore(path)
        if chore is None or self._closing:
            return False
        try:
            await self._do(path, chore)
        except (ManyhandsError, OSError) as error:
            log.info("the pool of %s: %s", path, error)
            return False
        return True

    async def _calm(self) -> None:
        """Wait while others want the machine more, for agents at work only so long."""
        until = self._hub.waiters.until
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CROWDED_SECONDS):
                await until(lambda state: not is_crowded(state) or None)
        await until(lambda state: is_quiet(state) or None)

    async def _chore(self, path: str) -> Chore | None:
        repo = self._hub.state.repos[path]
        wanted = self._hub.last_settings.workspaces.pool
        if not is_in_use(self._hub.state, repo):
            return next_chore(repo, wanted, None)
        return next_chore(repo, wanted, await asyncio.to_thread(_trusted_base, repo))

    async def _do(self, path: str, chore: Chore) -> None:
        match chore:
            case Fill(commit):
                place = str(fresh_worktree(self._hub.home, path))
                fresh = Spare(id=fresh_id(), worktree=place, commit=commit, token=0)
                await self._fill(path, await self._begin(path, fresh, commit), is_new=True)
            case Refresh(spare, commit):
                await self._fill(path, await self._begin(path, spare, commit), is_new=False)
            case Drop(spare, reason):
                await self._drop(path, spare, reason)

    async def _begin(self, path: str, spare: Spare, commit: Oid) -> Spare | None:
        """Take the spare out of reach under a new token; None if somebody was quicker."""

        def decide(state: State) -> Decision[Spare | None]:
            repo = state.repo(path) or Repo(path=path)
            known = repo.spare(spare.id)
            if spare.token and (known is None or known.token != spare.token):
                return Decision((), None)
            began = e.SpareStarted(
                at=now(),
                path=path,
                spare=spare.id,
                token=repo.token + 1,
                worktree=spare.worktree,
                commit=commit,
                before=spare.commit if spare.commit != commit else Oid(""),
            )
            state.apply(began)
            return Decision((began,), state.repos[path].spare(spare.id))

        return await self._hub.write(decide)

    async def _fill(self, path: str, spare: Spare | None, *, is_new: bool) -> None:
        if spare is None:
            return
        place, locks = Path(spare.worktree), self._hub.home.locks
        work: Callable[[], list[str]] = partial(
            refresh_spare, Path(path), place, spare.commit, lock_dir=locks
        )
        if is_new:
            work = partial(
                add_spare, Path(path), place, spare.commit, spare=spare.id, lock_dir=locks
            )
        try:
            notes = await asyncio.to_thread(work)
            installed = await self._install(place)
            size = await asyncio.to_thread(disk_use, place)
        except (ManyhandsError, OSError) as error:
            if not self._closing:
                await self._drop(path, spare, str(error))
            raise
        filled = e.SpareFilled(
            at=now(),
            path=path,
            spare=spare.id,
            token=spare.token,
            installed=installed,
            note="; ".join(notes),
            bytes=size,
        )
        await self._hub.record(filled)

    async def _install(self, place: Path) -> str:
        """A spare whose install fails is still worth having: the session's own setup says why."""
        try:
            return await install_dependencies(place, self._hub.last_settings)
        except ManyhandsError as error:
            log.info("nothing was installed in the spare %s: %s", place, error)
            return ""

    async def _drop(self, path: str, spare: Spare, reason: str) -> None:
        held = await self._begin(path, spare, spare.commit) if spare.ready else spare
        if held is None:
            return
        commits = [commit for commit in (spare.commit, spare.before) if commit]
        remove = partial(remove_spare, spare=spare.id, lock_dir=self._hub.home.locks)
        try:
            await asyncio.to_thread(remove, Path(path), Path(spare.worktree), *commits)
        except (ManyhandsError, OSError) as error:
            # Whatever it holds is not ours to delete: it stays, and `doctor` speaks of it.
            reason = f"{reason}; left where it is: {error}"
        await self._hub.record(e.SpareDropped(at=now(), path=path, spare=spare.id, reason=reason))


def _repos_to_tend(batch: Batch, state: State) -> Iterator[str]:
    for event in batch.events:
        if isinstance(event, e.RepoTrusted):
            yield event.path
        elif isinstance(event, e.SessionReady | e.BaseResolved):
            s = state.session(event.session)
            if s is not None:
                yield s.repo


def _trusted_base(repo: Repo) -> Oid | None:
    """The base's commit, unless it would run what nobody has approved."""
    path = Path(repo.path)
    table = load_ref_table(path)
    commit = table.commit(table.default_base)
    if commit is None or unapproved(repo, (*runnable_at(path, commit), *runnable_hooks(path))):
        return None
    return commit


def disk_use(place: Path) -> int:
    """Bytes on disk of everything below."""
    total = 0
    for folder, _, _ in os.walk(place):
        with os.scandir(folder) as entries:
            total += sum(entry.stat(follow_symlinks=False).st_blocks for entry in entries) * 512
    return total
