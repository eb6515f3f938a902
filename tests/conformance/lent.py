"""One running agent for several tests, one after the other: some take seconds to start."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from manyhands.model.events import AgentStarted, CommandsListed, Mode
from tests.conformance.bench import Stand
from tests.support.agent_driver import Answer, Driver, never

ONCE = (AgentStarted, CommandsListed)
"""What an agent tells when it starts, and whoever has it later wants to know too."""


@dataclass
class Lent:
    stand: Stand
    requests: list[dict[str, Any]]
    """All that its model is asked, in its order."""
    _driver: Driver | None = None
    _running: AsyncExitStack = field(default_factory=AsyncExitStack)

    @asynccontextmanager
    async def agent(self, mode: Mode, answer: Answer = never) -> AsyncIterator[Driver]:
        """It is as it was started, with nothing told yet, but for the dialogue that it remembers;
        with a test that fails it ends."""
        driver = self._driver or await self._start(mode)
        driver.answer = answer
        await driver.agent.set_mode(mode)
        try:
            yield driver
        except BaseException:
            await self.end()
            raise
        driver.release()
        driver.events[:] = [event for event in driver.events if isinstance(event, ONCE)]
        for told in (driver.frames, driver.asked, driver.abandoned):
            told.clear()

    async def _start(self, mode: Mode) -> Driver:
        self._driver = await self._running.enter_async_context(self.stand.agent(mode))
        return self._driver

    async def end(self) -> None:
        self._driver = None
        await self._running.aclose()
