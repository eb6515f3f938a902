"""The work of one watch: changes come in from threads, news of the diff goes out, in order.

Scans and comparisons take turns, so an older look never overwrites a newer one. After a scan
the next one waits for twice the time it took: a build that never rests costs a part of a core.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from manyhands.errors import ManyhandsError
from manyhands.keeper.ledger import Ledger
from manyhands.keeper.notices import Change, Notices, NoWatches
from manyhands.keeper.sight import Sight
from manyhands.keeper.trail import Trail
from manyhands.model import clock
from manyhands.model.events import AnyEvent

log = logging.getLogger(__name__)

SCAN_PAUSE = 0.25
RETRY_PAUSE = 1.0


class Sightings:
    """`caught_up` is set while nothing known waits to be looked at."""

    def __init__(
        self, sight: Sight, ledger: Ledger, trail: Trail, tell: Callable[[AnyEvent], None]
    ) -> None:
        self._sight = sight
        self._trail = trail
        self._ledger = ledger
        self._tell = tell
        self._changes: set[Change] = set()
        self._scan_due = True
        self._next_scan = clock.monotonic()
        self._stirred = asyncio.Event()
        self.caught_up = asyncio.Event()
        self._heard = asyncio.Condition()

    async def listen(self, notices: Notices) -> None:
        while (changes := await asyncio.to_thread(notices.wait)) is not None:
            self._changes |= changes
            self._trail.note(changes)
            if changes:
                self.caught_up.clear()
                self._stirred.set()
            async with self._heard:
                self._heard.notify_all()

    async def hear_all(self) -> None:
        """Returns when every change that was made before has been told to us."""
        rung = [(notices, notices.ring()) for notices in self._sight.notices]
        async with self._heard:
            await self._heard.wait_for(lambda: all(n.heard >= ring for n, ring in rung))

    def look_at_all(self) -> None:
        """Scan, and do not rest before."""
        self._scan_due = True
        self.caught_up.clear()
        self._stirred.set()

    async def look(self) -> None:
        """Look at whatever stirs; ends where what is watched must be chosen anew."""
        while True:
            self._stirred.clear()
            if self._changes:
                if await self._examine():
                    return
            elif self._scan_due and clock.monotonic() >= self._next_scan:
                if await self._scan():
                    return
            else:
                await self._rest()

    async def _rest(self) -> None:
        until = self._next_scan - clock.monotonic() if self._scan_due else None
        if until is None:
            self.caught_up.set()
        try:
            async with asyncio.timeout(until):
                await self._stirred.wait()
        except TimeoutError:
            pass

    async def _examine(self) -> bool:
        """True where a directory appeared that the present plan does not cover."""
        changes, self._changes = self._changes, set()
        try:
            seen = await asyncio.to_thread(self._sight.examine, changes)
        except NoWatches:
            raise
        except Exception:
            log.exception("paths could not be compared one by one; a scan will tell")
            self._scan_due = True
            return False
        for path, now in seen.files:
            self._tell_all(self._ledger.note(path, now))
            # A whole directory may have gone with one word.
            seen.scan |= now is None and self._ledger.holds_below(path)
        self._scan_due |= seen.scan
        return seen.replan

    async def _scan(self) -> bool:
        """True where something big and ignored appeared that should not be watched."""
        started = clock.monotonic()
        try:
            files = await asyncio.to_thread(self._sight.scan)
            crowded = await asyncio.to_thread(self._sight.is_crowded)
        except (ManyhandsError, OSError, ValueError) as error:
            log.warning("a scan failed and asserts nothing: %s", error)
            self._next_scan = clock.monotonic() + RETRY_PAUSE
            return False
        self._tell_all(self._ledger.replace(files))
        self._scan_due = False
        ended = clock.monotonic()
        self._next_scan = ended + max(SCAN_PAUSE, 2 * (ended - started))
        return crowded

    def _tell_all(self, events: list[AnyEvent]) -> None:
        for event in events:
            self._tell(event)
