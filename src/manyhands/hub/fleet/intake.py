"""Reads the sockets of all keepers together: what comes alone at once, a flood in few portions."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from contextlib import suppress

from manyhands.hub.core import Hub

FLOOD = 4
"""So many messages at once are one; fewer are not worth a pause."""
PAUSE_SECONDS = 0.001
"""For each message read, so that those behind it gather meanwhile and cost less."""
LONGEST_PAUSE = 0.02


class Intake:
    """Its sockets are the loop's one: a pause then costs the same for a hundred as for one."""

    def __init__(self, hub: Hub | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._sockets = selectors.DefaultSelector()
        self._pause: asyncio.TimerHandle | None = None
        self._resume()

    def add(self, socket: int, read: Callable[[], int]) -> None:
        """`read` takes what is there and tells how many messages it was."""
        self._sockets.register(socket, selectors.EVENT_READ, read)

    def remove(self, socket: int) -> None:
        """Before the socket is closed."""
        with suppress(KeyError):  # the hub ends
            self._sockets.unregister(socket)

    def close(self) -> None:
        if self._pause:
            self._pause.cancel()
        self._loop.remove_reader(self._sockets.fileno())
        self._sockets.close()

    def _resume(self) -> None:
        self._loop.add_reader(self._sockets.fileno(), self._read)

    def _read(self) -> None:
        taken = sum(key.data() for key, _ in self._sockets.select(0))
        if taken >= FLOOD:
            self._loop.remove_reader(self._sockets.fileno())
            pause = min(taken * PAUSE_SECONDS, LONGEST_PAUSE)
            self._pause = self._loop.call_later(pause, self._resume)
