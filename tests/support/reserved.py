"""A port that nobody else gets while one server after the other listens on it."""

from __future__ import annotations

import socket
import sys


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
