"""Ports that nobody else gets: for one server after the other, and for a hub's sessions."""

from __future__ import annotations

import fcntl
import socket
import sys
import tempfile
from pathlib import Path


class ReservedPort:
    """Bound and never listened on: the kernel gives it to no one who asks for any port, and a
    server that reuses addresses may still take it. Only Linux allows that; elsewhere the port is
    merely free when it is chosen."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._held.bind((host, port))
            self.number = int(self._held.getsockname()[1])
        except OSError:
            self.close()
            raise
        if sys.platform != "linux":
            self.close()

    def close(self) -> None:
        self._held.close()


class PortRange:
    """What the sessions of one hub may lease. Hubs under test know nothing of each other's leases,
    whichever process they are tested by, so each has a range that no other has."""

    SIZE = 50

    def __init__(self) -> None:
        place = Path(tempfile.gettempdir()) / "manyhands-test-ports"
        place.mkdir(exist_ok=True)
        for first in range(10_000, 30_000, self.SIZE):
            self._held = (place / str(first)).open("w")
            try:
                fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._held.close()
                continue
            self.first, self.last = first, first + self.SIZE - 1
            return
        raise RuntimeError("no range of ports is free")

    def close(self) -> None:
        self._held.close()
