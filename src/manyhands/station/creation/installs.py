"""One install for all worktrees that want the very same: one of them makes it, the others wait for
it and take it over.

What is handed over is a copy that was made right after the install, before anything else could
run in that worktree; it is kept, where it costs nothing or somebody waits for it. Nobody waits for
ever, or for a second try: where an install fails, those who waited for it try for themselves.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from manyhands.config import Home
from manyhands.errors import ManyhandsError
from manyhands.git.recovery import remove_files
from manyhands.model.clock import monotonic
from manyhands.model.ids import fresh_id
from manyhands.model.surroundings import Surroundings
from manyhands.process.identity import SETUP_MARK
from manyhands.station.threads import in_thread
from manyhands.workspace.copied_tree import COPY_SECONDS
from manyhands.workspace.install_key import after_taking, install_key
from manyhands.workspace.kept_installs import keep, take
from manyhands.workspace.reflink import can_clone
from manyhands.workspace.setup_plan import SetupCommand

log = logging.getLogger(__name__)
T = TypeVar("T")
Outcome = Literal["kept", "own", "gone"]
"""Of an install that others wait for: `own` where each makes its own now, `gone` where its maker
was called off."""
MOST_CLONED, MOST_COPIED = 3, 1
"""Kept per repository and package manager."""
WAITS = "Waits for the same install in another worktree of this repository\n"
TAKEN = "Taken over from another worktree of this repository in {seconds:.1f} s\n"


@dataclass(frozen=True)
class WantedInstall:
    """An install that a worktree wants, and what it is known by."""

    root: Path
    repo: Path
    command: SetupCommand
    key: str
    """Empty where nobody can share it."""
    takes: bool
    """Whether nothing is there yet in the place of what it makes."""
    gives: bool
    """Whether nothing but the install runs in the worktree, so that others may have the product."""
    keeps: bool = False
    """Whether it is kept, though nobody waits for it."""
    links: bool = False
    """Whether the package manager has a store at hand that it links from, once one has filled it:
    each then links for itself."""


class Installs:
    def __init__(self, home: Home) -> None:
        self.home = home
        self._making: dict[str, asyncio.Future[Outcome]] = {}
        self._waiting: Counter[str] = Counter()
        self._taken_from: Counter[Path] = Counter()
        self._turn = asyncio.Semaphore(os.cpu_count() or 1)
        """Held while a tree is copied: more at a time would only slow the first one down."""
        self._cleared = False

    async def provide(
        self,
        wanted: WantedInstall,
        make: Callable[[], Awaitable[T]],
        is_made: Callable[[T], bool],
        tell: Callable[[str], Awaitable[None]],
        seconds: float,
    ) -> T | None:
        """What `make` gave; None where the install was taken over. `seconds` is how long `make` may
        take in any worktree."""
        while wanted.key and wanted.takes:
            making = self._making.get(wanted.key)
            if making is None:
                if not self._place(wanted).is_dir():
                    break
            else:
                await tell(WAITS)
                outcome = await self._outcome(wanted, making, seconds + 2 * COPY_SECONDS)
                if outcome == "gone":
                    continue
                if outcome == "own":
                    return await make()
            return None if await self._take(wanted, tell) else await make()
        if wanted.key and wanted.gives and self._making.get(wanted.key) is None:
            return await self._make(wanted, make, is_made)
        return await make()

    async def _make(
        self, wanted: WantedInstall, make: Callable[[], Awaitable[T]], is_made: Callable[[T], bool]
    ) -> T:
        ended: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._making[wanted.key] = ended
        outcome: Outcome = "gone"
        try:
            made = await make()
            outcome = "own"
            if is_made(made) and await self._keep(wanted):
                outcome = "kept"
            return made
        except Exception:
            outcome = "own"
            raise
        finally:
            del self._making[wanted.key]
            ended.set_result(outcome)

    async def _outcome(
        self, wanted: WantedInstall, making: asyncio.Future[Outcome], seconds: float
    ) -> Outcome:
        self._waiting[wanted.key] += 1
        try:
            return await asyncio.wait_for(asyncio.shield(making), seconds)
        except TimeoutError:
            return "own"
        finally:
            self._waiting[wanted.key] -= 1

    async def _keep(self, wanted: WantedInstall) -> bool:
        if wanted.links:
            return False
        clones = await asyncio.to_thread(_can_clone, self.home.installs)
        if not (self._waiting[wanted.key] or wanted.keeps or clones):
            return False
        place = self._place(wanted)
        if not await self._copied(keep, wanted.root, wanted.command.product, place):
            return False
        most = MOST_CLONED if clones else MOST_COPIED
        await self._forget(await asyncio.to_thread(_oldest, place, most))
        return True

    async def _take(self, wanted: WantedInstall, tell: Callable[[str], Awaitable[None]]) -> bool:
        place, began = self._place(wanted), monotonic()
        self._taken_from[place] += 1
        try:
            if not await self._copied(take, place, wanted.root):
                return False
            await asyncio.to_thread(os.utime, place)
        finally:
            self._taken_from[place] -= 1
        await tell(TAKEN.format(seconds=monotonic() - began))
        return True

    async def _copied(self, do: Callable[..., None], *what: object) -> bool:
        """Where it cannot be, a worktree installs for itself."""
        async with self._turn:
            try:
                if not self._cleared:  # an earlier hub may have left some
                    self._cleared = True
                    await asyncio.to_thread(_remove, self._parts)
                await asyncio.to_thread(do, *what, self._parts)
            except (ManyhandsError, OSError, ValueError) as error:
                log.info("an install was not handed over: %s", error)
                return False
        return True

    async def forget(self, repo: Path) -> None:
        """Keep nothing of the repository's any more."""
        folder = kept_of(self.home, repo)
        await self._forget(await asyncio.to_thread(lambda: list(folder.glob("*/*"))))

    async def _forget(self, places: list[Path]) -> None:
        """Those that nobody takes over now, or is about to."""
        for place in places:
            if self._taken_from[place] or self._waiting[place.name] or place.name in self._making:
                continue
            gone = self._parts / fresh_id()
            try:
                # At once: of a tree that is being removed, a copy would be whole by its looks.
                self._parts.mkdir(mode=0o700, parents=True, exist_ok=True)
                place.rename(gone)
            except OSError as error:
                log.info("%s is still kept: %s", place, error)
                continue
            await asyncio.to_thread(_remove, gone)

    @property
    def _parts(self) -> Path:
        return self.home.installs / ".parts"

    def _place(self, wanted: WantedInstall) -> Path:
        return kept_of(self.home, wanted.repo) / wanted.command.installer / wanted.key


@in_thread
def want(
    root: Path,
    repo: Path,
    command: SetupCommand,
    within: Surroundings,
    *,
    gives: bool = True,
    is_spare: bool = False,
    own: Collection[str] = (),
) -> WantedInstall:
    """The install as others may want it too; `own` are variables that no two worktrees share."""
    boxed, there = bool(within.prefix), os.path.lexists(root / command.product)
    key = ""
    if after_taking(root, command) is not None:
        key = install_key(root, repo, command, within.env, boxed=boxed, own={SETUP_MARK, *own})
    # What nobody but us wrote to is brought to the new lock by those that take away what is not in
    # it, and is then as good as new.
    renews = is_spare and (command.again or command.installer == "npm")
    return WantedInstall(
        root,
        repo,
        command,
        key,
        takes=not there,
        gives=gives and (not there or renews),
        keeps=is_spare,
        links=command.store and not boxed,
    )


def kept_of(home: Home, repo: Path) -> Path:
    """Where the installs of a repository are kept."""
    return home.installs / repo.name


def _can_clone(folder: Path) -> bool:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return can_clone(folder)


def _oldest(newest: Path, most: int) -> list[Path]:
    """Beside the newest, all but the last that were made or taken over."""
    kept = sorted(newest.parent.iterdir(), key=lambda p: p.stat().st_mtime_ns, reverse=True)
    return [place for place in kept if place != newest][most - 1 :]


def _remove(place: Path) -> None:
    """As much of it as can be."""
    with contextlib.suppress(ManyhandsError, OSError):
        remove_files(place)
