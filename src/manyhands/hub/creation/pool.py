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
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub, Reactor, Rounds, machine_terms
from manyhands.hub.creation.allotment import allotted, is_awaited, spare_size
from manyhands.hub.creation.codename import fresh_worktree
from manyhands.hub.creation.setup import shared_installs
from manyhands.hub.fleet.crowding import CROWDED_SECONDS, is_crowded
from manyhands.hub.repos.trust import unapproved
from manyhands.model import events as e
from manyhands.model.ids import Oid, fresh_id
from manyhands.model.state import Repo, Spare, State
from manyhands.station.creation import pool as station
from manyhands.store import Decision

log = logging.getLogger(__name__)
SURVEY_SECONDS = 60.0
"""How often it is checked whether a base has moved that nobody told us about."""


@dataclass(frozen=True)
class Fill:
    commit: Oid


@dataclass(frozen=True)
class Refresh:
    spare: Spare
    commit: Oid


@dataclass(frozen=True)
class Drop:
    spare: Spare
    reason: str


Chore = Fill | Refresh | Drop


def next_chore(repo: Repo, wanted: int, base: Oid | None) -> Chore | None:
    """To be asked only while nobody works on a spare of the repository: one that is not ready then
    was left by a hub that died."""
    for spare in repo.spares:
        if not spare.ready:
            return Drop(spare, "its filling was cut off")
    if len(repo.spares) > wanted:
        return Drop(repo.spares[0], "fewer are wanted, or fit into what they may use on disk")
    if base is None:
        return None
    for spare in repo.spares:
        is_approved = spare.unapproved and set(spare.unapproved) <= set(repo.approved)
        if spare.commit != base or is_approved:
            return Refresh(spare, base)
    return Fill(base) if len(repo.spares) < wanted else None


def is_quiet(state: State) -> bool:
    """Whether no session waits for its worktree: filling must not be in anybody's way."""
    return not any(
        not (s.life.ready or s.life.error or s.life.archived or "worktree" in s.life.made)
        for s in state.all_sessions().values()
    )


def spare_to_lease(repo: Repo, commit: Oid) -> Spare | None:
    """The spare that suits a session at `commit` best."""
    ready = [spare for spare in repo.spares if spare.ready]
    return min(ready, key=lambda spare: spare.commit != commit, default=None)


class Pool(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._rounds = Rounds(hub, self._is_tended, self._tend)
        self._turn = asyncio.Lock()
        hub.on(e.RepoTrusted, lambda event: self._rounds.consider(event.path))
        hub.on(e.SessionReady, self._consider_repo)
        hub.on(e.BaseResolved, self._consider_repo)

    async def close(self) -> None:
        """A spare that is being filled is left; the next hub takes it back."""
        station.stop_filling()

    async def run(self) -> None:
        while True:
            for path in list(self._hub.state.repos):
                self._rounds.consider(path)
            await asyncio.sleep(SURVEY_SECONDS)

    def _consider_repo(self, event: e.Event) -> None:
        if (s := self._hub.state.session(event.session)) is not None:
            self._rounds.consider(s.repo)

    def _is_tended(self, path: str) -> bool:
        repo = self._hub.state.repo(path)
        return repo is not None and bool(repo.spares or is_awaited(self._hub.state, repo))

    async def _tend(self, path: str) -> None:
        # One at a time in all: spares must not compete with people for the machine.
        async with self._turn:
            while await self._do_next(path):
                pass

    async def _do_next(self, path: str) -> bool:
        """Do one chore; false if there was none, or it failed and waits for the next occasion."""
        await self._calm()
        chore = await self._chore(path)
        if chore is None:
            return False
        try:
            await self._do(path, chore)
        except (ManyhandsError, OSError) as error:
            log.info("the pool of %s: %s", path, error)
            return False
        return True

    async def _calm(self) -> None:
        """Wait while others want the machine more, for agents at work only so long."""
        until = self._hub.until
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CROWDED_SECONDS):
                await until(lambda state: not is_crowded(state) or None)
        await until(lambda state: is_quiet(state) or None)

    async def _chore(self, path: str) -> Chore | None:
        repo, wanted = self._hub.state.repos[path], self._wanted(path)
        if not wanted or not is_awaited(self._hub.state, repo):
            return next_chore(repo, wanted, None)
        try:
            base = await station.load_base(path)
        except ManyhandsError as error:
            log.info("no spare of %s: %s", path, error)
            base = None
        # Nothing is checked out that would run what nobody has approved.
        is_usable = base is not None and not unapproved(repo, base.brought)
        if is_usable and not await station.has_room(self._hub.home, spare_size(repo)):
            log.info("no spare of %s: the disk is nearly full", path)
            is_usable = False
        return next_chore(repo, wanted, base.commit if base and is_usable else None)

    def _wanted(self, path: str) -> int:
        limits = self._hub.last_settings.workspaces
        return allotted(self._hub.state, limits).get(path, 0)

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
                if not self._wanted(path):
                    await self._hub.part(shared_installs).forget(Path(path))

    async def _begin(self, path: str, spare: Spare, commit: Oid) -> Spare | None:
        """Take the spare out of reach under a new token; None if somebody was quicker."""

        def decide(state: State) -> Decision[Spare | None]:
            repo = state.repo(path) or Repo(path=path)
            known = repo.spare(spare.id)
            if spare.token and (known is None or known.token != spare.token):
                return Decision((), None)
            began = e.SpareStarted(
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
        home, settings = self._hub.home, self._hub.last_settings
        try:
            repo = self._hub.state.repos[path]
            made = await station.fill_spare(
                home,
                path,
                spare,
                settings,
                is_new=is_new,
                approved=repo.approved,
                terms=machine_terms(self._hub, path),
                installs=self._hub.part(shared_installs),
            )
        except (ManyhandsError, OSError) as error:
            if not self._hub.ending:
                await self._drop(path, spare, str(error))
            raise
        filled = e.SpareFilled(
            path=path,
            spare=spare.id,
            token=spare.token,
            installed=made.installed,
            unapproved=made.unapproved,
            note="; ".join(made.notes),
            bytes=made.bytes,
        )
        await self._hub.record(filled)

    async def _drop(self, path: str, spare: Spare, reason: str) -> None:
        held = await self._begin(path, spare, spare.commit) if spare.ready else spare
        if held is None:
            return
        try:
            await station.drop_spare(self._hub.home, path, spare)
        except (ManyhandsError, OSError) as error:
            # Whatever it holds is not ours to delete: it stays, and `doctor` speaks of it.
            reason = f"{reason}; left where it is: {error}"
        await self._hub.record(e.SpareDropped(path=path, spare=spare.id, reason=reason))
