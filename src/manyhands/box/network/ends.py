"""Bytes between two sockets, as they come: bounded, in order, and with half-closed ends right."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Awaitable

CHUNK = 128 * 1024
TURN = 16
"""So many chunks in a row, then others have their turn: what is always ready never waits."""
_HEX = frozenset(b"0123456789abcdefABCDEF")


class Overlong(ValueError):
    """More came than may be held."""


class SocketEnd:
    """One end of a connection: what was read ahead, and the socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._held = b""
        self._chunks = 0
        sock.setblocking(False)
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    async def read(self, most: int = CHUNK) -> bytes:
        """Nothing at the end of the stream."""
        if self._held:
            taken, self._held = self._held[:most], self._held[most:]
            return taken
        self._chunks += 1
        if self._chunks % TURN == 0:
            await asyncio.sleep(0)
        return await asyncio.get_running_loop().sock_recv(self.sock, most)

    async def until(self, end: bytes, longest: int) -> bytes:
        """Up to and with `end`; less where the stream ends before."""
        found = bytearray()
        while (at := found.find(end)) < 0:
            if len(found) > longest:
                raise Overlong(f"more than {longest} bytes")
            more = await self.read(longest)
            if not more:
                return bytes(found)
            found += more
        self.put_back(bytes(found[at + len(end) :]))
        return bytes(found[: at + len(end)])

    def put_back(self, data: bytes) -> None:
        self._held = data + self._held

    async def hung_up(self, most: int = 16 * 1024) -> None:
        """Returns when the other side has gone; what it says meanwhile is kept, up to a bound."""
        loop = asyncio.get_running_loop()
        gone: asyncio.Future[None] = loop.create_future()

        # Read in the very callback: a task that is cancelled would lose what it has just read.
        def look() -> None:
            try:
                more = self.sock.recv(most)
            except BlockingIOError:
                return
            except OSError:
                more = b""
            self._held += more
            if not more or len(self._held) >= most:
                loop.remove_reader(self.sock)
            if not more and not gone.done():
                gone.set_result(None)

        if len(self._held) < most:
            loop.add_reader(self.sock, look)
        try:
            await gone
        finally:
            loop.remove_reader(self.sock)

    async def write(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.sock, data)

    def end(self) -> None:
        """Nothing more is said from here; the other direction goes on."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.sock.close()

    def reset(self) -> None:
        """So that the other side does not take it for a proper end."""
        with contextlib.suppress(OSError):
            linger = struct.pack("ii", 1, 0)
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.sock.close()


async def pump(source: SocketEnd, sink: SocketEnd) -> None:
    while data := await source.read():
        await sink.write(data)
    sink.end()


async def pump_exactly(source: SocketEnd, sink: SocketEnd, length: int) -> None:
    while length > 0:
        data = await source.read(min(length, CHUNK))
        if not data:
            raise ConnectionResetError("the body is shorter than it was said to be")
        await sink.write(data)
        length -= len(data)


async def pump_chunks(source: SocketEnd, sink: SocketEnd) -> None:
    """A body in chunks, to its end and no further."""
    while True:
        line = await source.until(b"\r\n", 256)
        size = line.partition(b";")[0].strip()
        if not line.endswith(b"\r\n") or not size or not _HEX.issuperset(size) or len(size) > 15:
            raise Overlong("no size of a chunk")
        await sink.write(line)
        if int(size, 16) == 0:
            break
        await pump_exactly(source, sink, int(size, 16) + 2)
    # Fields may follow, up to an empty line.
    while line not in (b"\r\n", b""):
        line = await source.until(b"\r\n", 8 * 1024)
        await sink.write(line)


async def together(*works: Awaitable[None]) -> None:
    """All of them; when one breaks off, the others do too, quietly."""
    try:
        async with asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(_as_task(work))
    except* (OSError, ValueError):
        pass


async def _as_task(work: Awaitable[None]) -> None:
    await work


async def splice(one: SocketEnd, other: SocketEnd) -> None:
    """Both ways, until both have ended or one is broken."""
    try:
        await together(pump(one, other), pump(other, one))
    finally:
        one.close()
        other.close()
