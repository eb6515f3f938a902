"""A real terminal attached to one of a session's: keys there, bytes back, until detached."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from manyhands.model.terminal import stream

DETACH = b"\x1d"
"""Ctrl-]."""
CLEAN = (
    b"\x18\x1b[?1049l\x1b[?1000;1002;1003;1004;1005;1006;1015;2004l\x1b[<u\x1b[>4m\x1b[?1l\x1b>"
    b"\x1b[r\x1b[0m\x1b[?25h\x1b[?7h\x1b[0 q\r\n"
)
"""Whatever the program had set is not left behind."""
FRESH = b"\x1b[!p\x1b[0m\x1b[H\x1b[2J\x1b[3J"
ACK_BYTES = 32 * 1024


def terminal_size() -> tuple[int, int]:
    """Rows and columns of ours."""
    packed = fcntl.ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, b"\0" * 8)
    rows, columns, _, _ = struct.unpack("HHHH", packed)
    return rows or 24, columns or 80


class Attached:
    """`run` until it ends: the exit code of the program, None when detached, or what is amiss."""

    def __init__(self, socket: ClientConnection, *, types: bool) -> None:
        self._socket = socket
        self._types = types
        self._over = threading.Event()
        self._wake, self._waker = os.pipe()
        self._size = (24, 80)
        self.exit_code: int | None = None
        self.error = ""

    def run(self) -> None:
        with _raw(sys.stdin.fileno()):
            reader = threading.Thread(target=self._show, daemon=True)
            before = signal.signal(signal.SIGWINCH, lambda *_: self._fit())
            reader.start()
            try:
                self._type()
            except ConnectionClosed:
                pass
            finally:
                self._over.set()
                signal.signal(signal.SIGWINCH, before)
                self._socket.close()
                reader.join(2)
                _write(CLEAN)

    def _fit(self) -> None:
        rows, columns = terminal_size()
        os.write(self._waker, b"s")
        self._size = (rows, columns)

    def _type(self) -> None:
        """One thread sends all: keys, and our size when it has changed."""
        keys = sys.stdin.fileno()
        while not self._over.is_set():
            ready, _, _ = select.select([keys, self._wake], [], [])
            if self._wake in ready and os.read(self._wake, 100).startswith(b"s"):
                rows, columns = self._size
                self._socket.send(stream.said(stream.SizeWord(rows=rows, columns=columns)).decode())
            if keys in ready:
                typed = os.read(keys, 65536)
                before, is_detached, _ = typed.partition(DETACH)
                if before and self._types:
                    self._socket.send(before)
                if is_detached or not typed:
                    return

    def _show(self) -> None:
        unacked = 0
        try:
            for message in self._socket:
                if isinstance(message, bytes):
                    _write(message)
                    unacked += len(message)
                    if unacked >= ACK_BYTES:
                        self._socket.send(stream.said(stream.AckWord(bytes=unacked)).decode())
                        unacked = 0
                elif self._is_end(stream.told(message)):
                    break
        except (ConnectionClosed, OSError) as error:
            if not self._over.is_set() and self.exit_code is None:
                self.error = self.error or f"the connection ended: {error}"
        finally:
            self._over.set()
            os.write(self._waker, b"x")

    def _is_end(self, word: stream.ToViewer) -> bool:
        match word:
            case stream.ScreenWord():
                _write(FRESH)
            case stream.ExitWord(exit_code=code):
                self.exit_code = code
                return True
            case stream.ErrorWord(message=message):
                self.error = message
                return True
        return False


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


@contextmanager
def _raw(descriptor: int) -> Iterator[None]:
    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
