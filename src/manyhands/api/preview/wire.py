"""One end of a connection: bytes in when they are wanted, bytes out as fast as they are taken.

By the event loop's readers alone, without streams: what passes by is read into one buffer that all
connections share, and written on before anybody else has a turn. Only what the other side does not
take at once is copied; until that is gone nothing more is read for it.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from contextlib import suppress

LARGEST_READ = 256 * 1024
LOOPBACK = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))

_shared = memoryview(bytearray(LARGEST_READ))


class Wire:
    def __init__(
        self,
        sock: socket.socket,
        on_readable: Callable[[], None],
        on_drained: Callable[[], None],
        on_broken: Callable[[], None],
    ) -> None:
        self._sock = sock
        self._fd = sock.fileno()
        self._loop = asyncio.get_running_loop()
        self._on_readable = on_readable
        self._on_drained = on_drained
        self._on_broken = on_broken
        self._pending = memoryview(b"")
        self._reads = False
        self._is_broken = False
        self.closed = False

    @property
    def is_full(self) -> bool:
        """Whether something still waits to be taken."""
        return bool(self._pending)

    def read(self) -> memoryview | None:
        """What has come, to be used at once; empty at the end, None where nothing is there."""
        try:
            return _shared[: self._sock.recv_into(_shared)]
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return _shared[:0]

    def listen(self, wanted: bool) -> None:
        """Whether to be told of what comes."""
        if wanted == self._reads or self.closed:
            return
        self._reads = wanted
        if wanted:
            self._loop.add_reader(self._fd, self._on_readable)
        else:
            self._loop.remove_reader(self._fd)

    def send(self, data: bytes | memoryview) -> None:
        if self.closed or self._is_broken:
            return
        if self._pending:
            self._pending = memoryview(bytes(self._pending) + bytes(data))
            return
        try:
            sent = self._sock.send(data)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError:
            self._broken()
            return
        if sent < len(data):
            self._pending = memoryview(bytes(data[sent:]))
            self._loop.add_writer(self._fd, self._go_on)

    def _go_on(self) -> None:
        try:
            sent = self._sock.send(self._pending)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._broken()
            return
        self._pending = self._pending[sent:]
        if not self._pending:
            self._loop.remove_writer(self._fd)
            self._on_drained()

    def _broken(self) -> None:
        """The other side takes nothing any more; what it said before may still be read."""
        self._is_broken, self._pending = True, memoryview(b"")
        self._loop.remove_writer(self._fd)
        self._loop.call_soon(self._on_broken)

    def shut_down(self) -> None:
        """Nothing more goes out; what comes is still read."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        self._pending = memoryview(b"")
        self._sock.close()


class Dial:
    """A connection to a port of this machine, over whichever loopback somebody listens on."""

    def __init__(self, port: int, done: Callable[[socket.socket | None], None]) -> None:
        self._port = port
        self._done = done
        self._left = list(LOOPBACK)
        self._loop = asyncio.get_running_loop()
        self._sock: socket.socket | None = None
        self._next()

    def _next(self) -> None:
        while self._left:
            family, host = self._left.pop(0)
            try:
                self._sock = sock = socket.socket(family, socket.SOCK_STREAM)
            except OSError:
                continue
            sock.setblocking(False)
            error = sock.connect_ex((host, self._port))
            if error in (0, errno.EINPROGRESS):
                self._loop.add_writer(sock.fileno(), self._connected)
                return
            sock.close()
        self._sock = None
        self._loop.call_soon(self._done, None)

    def _connected(self) -> None:
        assert self._sock is not None
        sock = self._sock
        self._loop.remove_writer(sock.fileno())
        if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            sock.close()
            self._next()
            return
        self._sock = None
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._done(sock)

    def cancel(self) -> None:
        self._left = []
        if self._sock is not None:
            self._loop.remove_writer(self._sock.fileno())
            self._sock.close()
            self._sock = None
