"""What one machine can carry: how many agents start at once, and when others should hold back.

A start keeps a processor busy, and many together slow one another down. One after the other, the
first are at work sooner and the last no later.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

from manyhands.model.state import State

PROCESSORS = os.cpu_count() or 1
STARTS_PER_PROCESSOR = 1
AGENTS_PER_PROCESSOR = 2
CROWDED_SECONDS = 60.0
"""How long agents at work put off at most whatever can wait."""
SLOW_SECONDS = 5.0
"""A start that takes longer waits for something else than a processor, and nobody for it."""


class Starts:
    def __init__(self, at_once: int = STARTS_PER_PROCESSOR * PROCESSORS) -> None:
        self._free = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        await self._free.acquire()
        with ExitStack() as held:
            held.callback(self._free.release)
            slow = asyncio.get_running_loop().call_later(SLOW_SECONDS, held.close)
            held.callback(slow.cancel)
            yield


def is_crowded(state: State, processors: int = PROCESSORS) -> bool:
    """Whether so many agents work, or are about to, that whatever can wait should."""
    working = sum(
        s.main.in_turn or s.place.granted
        for s in state.all_sessions().values()
        if not s.life.archived
    )
    return working > AGENTS_PER_PROCESSOR * processors
