"""One end of a connection: bytes in when they are wanted, bytes out as fast as they are taken.

By the event loop's readers alone, without streams: what passes by is read into one buffer that all
connections share, and written on before anybody else has a turn. Only what the other side does not
take at once is copied; until that is gone nothing more is read for it. On Linux a long body does
not come into this process at all: the kernel moves it through a pipe.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress

LARGEST_READ = 256 * 1024
LARGEST_MOVE = 1024 * 1024
LOOPBACK = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))

MOVES = sys.platform == "linux"
_shared = memoryview(bytearray(LARGEST_READ))


class BareWire:
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
        self._pipe: tuple[int, int] | None = None
        self._piped = 0
        self.closed = False

    @property
    def is_full(self) -> bool:
        """Whether something still waits to be taken."""
        return bool(self._pending or self._piped)

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

    def move(self, source: BareWire, most: int) -> int | None:
        """Send on what has come to `source`, unseen: how much, 0 at its end, None where nothing is
        there. Only for one that is not full."""
        if sys.platform != "linux":
            raise NotImplementedError
        try:
            into = (self._pipe or self._make_pipe())[1]
            moved = os.splice(source._fd, into, min(most, LARGEST_MOVE), flags=os.SPLICE_F_NONBLOCK)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return 0
        self._piped = moved
        if moved and not self._pour():
            self._loop.add_writer(self._fd, self._go_on)
        return moved

    def _make_pipe(self) -> tuple[int, int]:
        self._pipe = made = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        with suppress(OSError):  # a user may have only so much of them
            fcntl.fcntl(made[1], fcntl.F_SETPIPE_SZ, LARGEST_MOVE)
        return made

    def _pour(self) -> bool:
        """Whether the pipe is empty then."""
        assert self._pipe is not None
        try:
            self._piped -= os.splice(
                self._pipe[0], self._fd, self._piped, flags=os.SPLICE_F_NONBLOCK
            )
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            self._broken()
        return not self._piped

    def _go_on(self) -> None:
        if self._piped:
            if self._pour() and not self._is_broken:
                self._loop.remove_writer(self._fd)
                self._on_drained()
            return
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
        self._is_broken, self._pending, self._piped = True, memoryview(b""), 0
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
        self._pending, self._piped = memoryview(b""), 0
        self._sock.close()
        for end in self._pipe or ():
            os.close(end)
        self._pipe = None


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
