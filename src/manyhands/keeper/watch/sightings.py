"""The work of one watch: changes come in, news of the diff goes out, in order.

Scans and comparisons take turns, so an older one never overwrites a newer one. After a scan
the next one waits for twice the time it took: a build that never rests costs a part of a core.
Whoever must know what is so by now, as at a turn's end, does not wait for that, nor for rest.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from manyhands.errors import ManyhandsError
from manyhands.keeper.watch.drawing import Files, Patches
from manyhands.keeper.watch.notices import EVERYTHING, WatchFailed
from manyhands.keeper.watch.sight import MOST_NAMED, Sight
from manyhands.keeper.watch.told import Told
from manyhands.model import clock
from manyhands.model.events import AnyEvent
from manyhands.model.ids import Oid
from manyhands.model.workspace.diff import FileDiff

log = logging.getLogger(__name__)

SCAN_PAUSE = 0.25
RETRY_PAUSE = 1.0
POLL_SECONDS = 1.0
MOST_ON_TRAIL = 1000
FOR_LATER = 3600.0
"""What costs much is left until somebody must know, as at a turn's end."""

Outcome = Literal["told", "failed", "ended"]
"""Of waiting until all is told: it is, or could not be found out, or the watch ended."""


@dataclass(frozen=True)
class Wanted:
    """A snapshot of everything that is wanted: where a scan is due too, both are made of it."""

    make: Callable[[], Oid]
    made: asyncio.Future[Oid | None]
    """None where nothing came of it."""

    def answer(self, made: Oid | None) -> None:
        if not self.made.done():
            self.made.set_result(made)


class Sightings:
    """`caught_up` is set while nothing known waits to be told."""

    def __init__(
        self,
        sight: Sight,
        told: Told,
        trail: Trail,
        patches: Patches,
        tell: Callable[[AnyEvent], None],
    ) -> None:
        self._sight = sight
        self._trail = trail
        self._patches = patches
        self._told = told
        self._tell = tell
        self._changes: set[str] = set()
        self.asked: Wanted | None = None
        self._scan_due = True
        self._next_scan = clock.monotonic()
        self._moves_due = False
        self._next_moves = clock.monotonic()
        self._heard = 1
        """How often something was heard of, the beginning included; of how much of that it was
        seen what it came to, and how much is told."""
        self._seen = self._settled = 0
        self._awaited: dict[asyncio.Future[Outcome], int] = {}
        self._stirred = asyncio.Event()
        self.caught_up = asyncio.Event()
        self._failure: WatchFailed | None = None

    async def listen(self) -> None:
        """Take in what changes; what cannot be watched is scanned now and then."""
        while True:
            if self._sight.notices:
                self._take(await self._sight.notices.next())
            else:
                await asyncio.sleep(POLL_SECONDS)
                self._scan_soon()

    async def hear_all(self) -> None:
        """Returns when every change that was made before has been told to us."""
        if self._sight.notices is None:
            self._scan_soon()
            return
        try:
            self._take(await self._sight.notices.rest())
        except WatchFailed as error:
            self._failure = error
            self._stirred.set()
            raise

    async def tell_now(self) -> Outcome:
        """Returns once all that was heard of by now is told."""
        if self._settled >= self._heard:
            return "told"
        told: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._awaited[told] = self._heard
        self._stirred.set()
        try:
            return await told
        finally:
            self._awaited.pop(told, None)

    def _settle(self, upto: int, outcome: Outcome = "told") -> None:
        if outcome == "told":
            self._settled = max(self._settled, upto)
        for told, wanted in self._awaited.items():
            if wanted <= upto and not told.done():
                told.set_result(outcome)

    def ask(self, asked: Wanted) -> None:
        self.asked = asked
        self._stirred.set()

    def _take(self, changes: set[str]) -> None:
        if changes:
            self._heard += 1
            self._changes |= changes
            self._trail.note(changes)
            self.caught_up.clear()
            self._stirred.set()

    def _scan_soon(self) -> None:
        self._heard += 1
        self._scan_due = True
        self.caught_up.clear()
        self._stirred.set()

    async def follow(self) -> None:
        """Find out what each change comes to; ends where what is watched must be chosen anew."""
        try:
            while not self._failure:
                self._stirred.clear()
                settled = not self._changes or bool(self._awaited)
                if self.asked or (settled and self._is_due(self._scan_due, self._next_scan)):
                    if await self._survey():
                        return
                elif self._changes:
                    await self._examine()
                elif not self._scan_due and self._is_due(self._moves_due, self._next_moves):
                    await self._find_moves()
                else:
                    await self._rest()
            raise self._failure
        finally:
            self._settle(self._heard, "ended")

    def _is_due(self, due: bool, at: float) -> bool:
        return due and (clock.monotonic() >= at or bool(self._awaited))

    async def _rest(self) -> None:
        if self._scan_due or self._moves_due:
            due = self._next_scan if self._scan_due else self._next_moves
            await in_time(self._stirred, due - clock.monotonic())
            return
        self.caught_up.set()
        self._settle(self._heard)
        await self._stirred.wait()

    async def _examine(self) -> None:
        changes, self._changes = self._changes, set()
        upto = self._heard
        try:
            seen = await asyncio.to_thread(self._sight.examine, changes, self._known())
        except Exception:
            log.exception("paths could not be compared one by one; a scan will tell")
            seen = None
        if seen is None:
            self._scan_due = True
            return
        found, frames = seen
        # Before the events that name what they show, so that nobody asks for it.
        self._patches.lay(frames)
        for path, now, _ in found:
            self._note(path, now)
            # A whole directory may have gone with one word.
            self._scan_due |= now is None and self._told.holds_below(path)
        if not self._scan_due:
            await self._saw(upto)

    def _note(self, path: str, now: FileDiff | None) -> None:
        before = self._told.files.get(path)
        self._tell_all(self._told.note(path, now))
        kinds = {file.status if file else "" for file in (before, now)}
        is_loose = not kinds.isdisjoint(("added", "deleted"))
        # Among very many only a new path is worth the look.
        counts = len(kinds) > 1 or len(self._told.files) <= MOST_NAMED
        self._moves_due |= before != now and is_loose and counts

    async def _saw(self, upto: int) -> None:
        """What was heard of until then is told by its paths. Who waits is not kept from the rest by
        what changes meanwhile."""
        self._seen = upto
        if not self._moves_due:
            self._settle(upto)
        elif self._awaited:
            await self._find_moves()

    async def _find_moves(self) -> None:
        """A file under a new name is one file, as in every diff."""
        upto, started = self._seen, clock.monotonic()
        loose = self._told.loose
        if len(loose) > MOST_NAMED and not self._awaited:
            self._next_moves = started + FOR_LATER
            return
        self._moves_due = False
        try:
            found = await asyncio.to_thread(self._sight.find_moves, loose) if loose else []
        except (ManyhandsError, OSError, ValueError) as error:
            log.warning("which files were moved cannot be told: %s", error)
            self._settle(upto, "failed")
            return
        self._tell_all(self._told.move(found))
        ended = clock.monotonic()
        self._next_moves = ended + max(SCAN_PAUSE, 2 * (ended - started))
        self._settle(upto)

    async def _survey(self) -> bool:
        """All of the worktree, for a snapshot that was asked for, a scan, or both."""
        asked, self.asked = self.asked, None
        made = await self._make(asked.make) if asked else None
        outdated = await self._scan(made) if self._scan_due else False
        if asked:
            asked.answer(made)
        return outdated

    async def _make(self, snapshot: Callable[[], Oid]) -> Oid | None:
        self._trail.take()
        try:
            return await asyncio.to_thread(snapshot)
        except Exception:
            log.exception("no snapshot could be made")
            self._trail.lose()
            return None

    async def _scan(self, made: Oid | None) -> bool:
        """True where something else should be watched from now on."""
        upto, started = self._heard, clock.monotonic()
        try:
            files, whole, frames = await asyncio.to_thread(self._sight.scan, self._known(), made)
            outdated = await asyncio.to_thread(self._sight.is_outdated)
        except (ManyhandsError, OSError, ValueError) as error:
            log.warning("a scan failed and asserts nothing: %s", error)
            self._next_scan = clock.monotonic() + RETRY_PAUSE
            self._settle(upto, "failed")
            return False
        self._patches.lay(frames)
        self._tell_all([*self._told.replace(files), *self._told.move(whole)])
        self._scan_due = self._moves_due = False
        ended = clock.monotonic()
        self._next_scan = ended + max(SCAN_PAUSE, 2 * (ended - started))
        await self._saw(upto)
        return outdated

    def _known(self) -> Files | None:
        """What was told, where someone is to be shown what is new."""
        return self._told.files if self._patches.wanted else None

    def _tell_all(self, events: list[AnyEvent]) -> None:
        for event in events:
            self._tell(event)


async def in_time(awaited: asyncio.Event, seconds: float | None) -> bool:
    """Whether it happens within so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await awaited.wait()
    except TimeoutError:
        return False


class Trail:
    """Between two checkpoints: every path that changed, or the word that some may lack.

    It is whole only from one taking to the next within one unbroken watch. Whatever interrupts the
    watch, and more at once than is worth listing, makes the next checkpoint take in everything.
    """

    def __init__(self) -> None:
        self._watched = False
        self._whole = False
        self._paths: set[bytes] = set()

    def begin(self) -> None:
        """A watch has begun: what came before it is not known."""
        self._watched, self._whole = True, False

    def end(self) -> None:
        self._watched = self._whole = False
        self._paths.clear()

    def note(self, changes: set[str]) -> None:
        if self._whole:
            self._paths |= set(map(os.fsencode, changes))
            self._whole = EVERYTHING not in changes and len(self._paths) <= MOST_ON_TRAIL

    @property
    def is_whole(self) -> bool:
        return self._whole

    @property
    def is_untouched(self) -> bool:
        """Whether nothing at all has changed since the last taking."""
        return self._whole and not self._paths

    def lose(self) -> None:
        """The checkpoint that this trail starts from was not made."""
        self._whole = False

    def take(self) -> set[bytes] | None:
        """What changed since the last taking, None where that is not known; a new one begins."""
        taken = self._paths if self._whole else None
        self._paths, self._whole = set(), self._watched
        return taken
