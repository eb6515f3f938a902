"""What a child writes, held in a buffer that is bounded in bytes.

When the buffer is full the pipe is no longer read, so that the kernel holds the writer back
and no memory of ours grows.
"""

from __future__ import annotations

import asyncio

LIMIT = 1024 * 1024


class LineTooLong(Exception):
    """One line alone is larger than the buffer may be."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a line of more than {limit} bytes")
        self.limit = limit


class Inflow:
    """One pipe's bytes, read by one reader."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.paused = False
        self.received = 0
        self._held = bytearray()
        self._searched = 0
        self._ended = False
        self._changed = asyncio.Event()
        self._transport: asyncio.ReadTransport | None = None

    def attach(self, transport: asyncio.ReadTransport) -> None:
        self._transport = transport

    def feed(self, data: bytes) -> None:
        self._held += data
        self.received += len(data)
        self._changed.set()
        if self._transport and not self.paused and self._is_full:
            self._transport.pause_reading()
            self.paused = True

    @property
    def _is_full(self) -> bool:
        """Where lines may be long, only one that is not whole yet is a reason to read on."""
        if len(self._held) >= LIMIT and self._held.find(b"\n", self._searched) >= 0:
            return True
        return len(self._held) >= self.limit

    def end(self) -> None:
        self._ended = True
        self._changed.set()

    async def line(self) -> bytes | None:
        """The next line with its newline, the rest at the end of the stream, then None."""
        while True:
            found = self._held.find(b"\n", self._searched)
            size = found + 1 if found >= 0 else len(self._held)
            # Asked of a whole line too: whether it came in one piece is the kernel's whim.
            if size > self.limit:
                raise LineTooLong(self.limit)
            if found >= 0:
                return self._take(size)
            self._searched = size
            if self._ended:
                return self._take(size) if size else None
            if size == self.limit:
                raise LineTooLong(self.limit)
            await self._more()

    async def chunk(self) -> bytes | None:
        """Whatever is there, or None at the end of the stream."""
        while not self._held:
            if self._ended:
                return None
            await self._more()
        return self._take(len(self._held))

    async def _more(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _take(self, size: int) -> bytes:
        taken = bytes(self._held[:size])
        del self._held[:size]
        self._searched = 0
        if self.paused and self._transport and not self._ended and not self._is_full:
            self.paused = False
            self._transport.resume_reading()
        return taken


class Tail:
    """The last bytes of a pipe that nobody reads along, for the report of a failure."""

    def __init__(self, limit: int = 16 * 1024) -> None:
        self.limit = limit
        self._held = bytearray()

    def feed(self, data: bytes) -> None:
        self._held += data
        del self._held[: -self.limit]

    def text(self) -> str:
        return self._held.decode("utf-8", "replace").strip()
