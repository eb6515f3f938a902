"""A WebSocket client of the hub that notes when each event came."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from manyhands.client.address import require_address, require_token
from manyhands.config import Home

LARGEST = 64 * 1024 * 1024
Event = dict[str, Any]


class Stream:
    """Everything that has come since it was opened; `until` waits for more."""

    def __init__(self, socket: ClientConnection) -> None:
        self.events: list[tuple[float, Event]] = []
        self._socket = socket
        self._came = asyncio.Event()

    async def read(self) -> None:
        async for frame in self._socket:
            at = time.monotonic()
            self.events += [(at, event) for event in msgspec.json.decode(frame)]
            self._came.set()

    async def look(self, *sessions: str) -> None:
        await self._socket.send(msgspec.json.encode({"look": list(sessions)}).decode())

    async def until(self, found: Callable[[Event], bool], count: int, seconds: float) -> float:
        """When the `count`th event for which `found` holds came; raises `TimeoutError`."""
        seen = position = 0
        async with asyncio.timeout(seconds):
            while True:
                self._came.clear()
                while position < len(self.events):
                    at, event = self.events[position]
                    position += 1
                    seen += found(event)
                    if seen == count:
                        return at
                await self._came.wait()


@asynccontextmanager
async def open_stream(home: Home) -> AsyncIterator[Stream]:
    """New events only, from here on."""
    uri = f"ws://127.0.0.1:{require_address(home).port}/api/events"
    headers = {"Authorization": f"Bearer {require_token(home)}"}
    async with connect(
        uri, additional_headers=headers, max_size=LARGEST, proxy=None, compression=None
    ) as socket:
        stream = Stream(socket)
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(stream.read())
            try:
                yield stream
            finally:
                reading.cancel()
