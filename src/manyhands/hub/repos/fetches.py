"""Asking remotes for their branches: in bounded time, once for all who ask, one at a time each.

What is asked is where a remote led when the repository was trusted; what the remote does never
raises, and is said in words.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub
from manyhands.hub.repos.pins import load_leads
from manyhands.model.clock import Instant, monotonic, now
from manyhands.station import bases as station

NEVER = float("-inf")
CUT_OFF = "the fetch was cut off"
Asked = tuple[str, str]
"""A repository, and a remote's branch such as `origin/main`; empty for its default one."""


@dataclass(frozen=True)
class FetchedBase:
    base: str = ""
    """The remote's branch that was asked for, or found to be its default."""
    error: str = ""
    at: float = NEVER
    """When it ended, well or not."""
    failures: int = 0
    """So many times in a row."""
    known_at: Instant = ""
    """When the remote last answered."""


class Fetches:
    load_tokens: Callable[[str], Awaitable[dict[str, str]]]
    """Those for a repository's remotes that are a forge's, by whoever knows forges."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.load_tokens = _no_tokens
        self._last: dict[Asked, FetchedBase] = {}
        self._running: dict[Asked, asyncio.Future[FetchedBase]] = {}
        self._next: dict[Asked, asyncio.Future[FetchedBase]] = {}
        self._lanes: defaultdict[Asked, asyncio.Lock] = defaultdict(asyncio.Lock)

    def is_due(self, repo: str, base: str, every: float) -> bool:
        return monotonic() - self.last(repo, base).at >= every

    def last(self, repo: str, base: str) -> FetchedBase:
        return self._last.get((repo, base), FetchedBase())

    async def fetch(
        self, repo: str, base: str, seconds: float, *, alone: bool = False
    ) -> FetchedBase:
        """Bring `base` up to date, or the default branch where `base` is empty; together with
        whoever asks for it already. `alone`: nobody waits who could be asked for a password."""
        asked = (repo, base)
        if (running := self._running.get(asked)) is None:
            return await self._fetch(asked, seconds, alone)
        return await self._other(asked, running, seconds)

    async def fetch_anew(self, repo: str, base: str, seconds: float) -> FetchedBase:
        """The same by a fetch that begins only now: one that runs may have seen what was before."""
        asked = (repo, base)
        if (coming := self._next.get(asked)) is not None:
            return await self._other(asked, coming, 2 * seconds)
        if (running := self._running.get(asked)) is None:
            return await self._fetch(asked, seconds, alone=False)
        coming = self._next[asked] = asyncio.get_running_loop().create_future()
        fetched = replace(self.last(repo, base), error=CUT_OFF)
        try:
            fetched = await self._other(asked, running, seconds)
            if running.done():
                # Whoever comes from now on must not be content with this one.
                del self._next[asked]
                fetched = await self.fetch(repo, base, seconds)
        finally:
            if self._next.get(asked) is coming:
                del self._next[asked]
            coming.set_result(fetched)
        return fetched

    async def _other(
        self, asked: Asked, running: asyncio.Future[FetchedBase], seconds: float
    ) -> FetchedBase:
        """What comes of a fetch that somebody else began, and that may take longer."""
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(running)
        except TimeoutError:
            error = f"a fetch that began before has no end after {seconds:g} seconds"
            return replace(self.last(*asked), error=error)

    async def _fetch(self, asked: Asked, seconds: float, alone: bool) -> FetchedBase:
        repo, base = asked
        running = self._running[asked] = asyncio.get_running_loop().create_future()
        error, found = CUT_OFF, base
        try:
            async with self._lane(asked, seconds):
                leads = await load_leads(self._hub, repo)
                tokens = await self.load_tokens(repo)
                how = station.Asking(leads=leads, seconds=seconds, tokens=tokens, alone=alone)
                fetched = await station.fetch_base(repo, base, how)
            found, error = fetched.base, fetched.error
        except ManyhandsError as failure:
            error = failure.message
        except TimeoutError:
            error = f"the remote is asked for something else, with no end after {seconds:g} seconds"
        finally:
            self._note(asked, found, error)
            del self._running[asked]
            running.set_result(self.last(repo, base))
        return self.last(repo, base)

    @asynccontextmanager
    async def _lane(self, asked: Asked, seconds: float) -> AsyncIterator[None]:
        """One fetch from a remote at a time."""
        lane = self._lanes[asked[0], asked[1].partition("/")[0]]
        async with asyncio.timeout(seconds):
            await lane.acquire()
        try:
            yield
        finally:
            lane.release()

    def _note(self, asked: Asked, found: str, error: str) -> None:
        before = self._last.get(asked, FetchedBase())
        failures = before.failures + 1 if error else 0
        known_at = before.known_at if error else now()
        noted = FetchedBase(found, error, monotonic(), failures, known_at)
        self._last[asked] = noted
        if found != asked[1] and not error:
            self._last[asked[0], found] = noted


async def _no_tokens(repo: str) -> dict[str, str]:
    return {}
