"""Takes in connections and has each one served, never more at once than there may be."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import socket
from collections.abc import Awaitable, Callable

from manyhands.box.network.ends import SocketEnd

log = logging.getLogger(__name__)

MOST_AT_ONCE = 1024
"""Those that come on top wait in the kernel, and hold nothing of ours."""
SHARE = 6
"""Each connection has two files open, and whoever carries them needs some for itself."""
PAUSE_SECONDS = 0.5

Serve = Callable[[SocketEnd], Awaitable[None]]


class Room:
    """How many connections there may be at a time, over all that share it."""

    def __init__(self, most: int | None = None) -> None:
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        plenty = files == resource.RLIM_INFINITY
        self.most = most or (MOST_AT_ONCE if plenty else min(MOST_AT_ONCE, files // SHARE))
        self.taken = 0
        self._full: list[Acceptor] = []

    @property
    def is_full(self) -> bool:
        return self.taken >= self.most

    def wait(self, acceptor: Acceptor) -> None:
        self._full.append(acceptor)

    def leave(self) -> None:
        self.taken -= 1
        waiting, self._full = self._full, []
        for acceptor in waiting:
            acceptor.go_on()


class Acceptor:
    """One listening socket."""

    def __init__(
        self, listener: socket.socket, serve: Serve, room: Room, tasks: asyncio.TaskGroup
    ) -> None:
        self._listener = listener
        self._serve = serve
        self._room = room
        self._tasks = tasks
        self._served: set[asyncio.Task[None]] = set()
        self._closed = False
        listener.setblocking(False)
        self.go_on()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def go_on(self) -> None:
        if not self._closed:
            asyncio.get_running_loop().add_reader(self._listener, self._take)

    def _take(self) -> None:
        """All that wait, up to the bound; a flood must not keep others waiting either."""
        loop = asyncio.get_running_loop()
        for _ in range(64):
            if self._room.is_full:
                loop.remove_reader(self._listener)
                self._room.wait(self)
                return
            try:
                sock, _ = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as error:
                log.warning("a connection could not be taken in: %s", error)
                loop.remove_reader(self._listener)
                loop.call_later(PAUSE_SECONDS, self.go_on)
                return
            self._room.taken += 1
            task = self._tasks.create_task(self._serve_one(SocketEnd(sock)))
            self._served.add(task)
            task.add_done_callback(self._served.discard)

    async def _serve_one(self, wire: SocketEnd) -> None:
        try:
            with contextlib.suppress(OSError, ValueError):
                await self._serve(wire)
        except Exception:
            log.exception("a connection of the box broke off")
        finally:
            wire.close()
            self._room.leave()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        asyncio.get_running_loop().remove_reader(self._listener)
        self._listener.close()
        for task in self._served:
            task.cancel()
