"""The listener of previews: whom it lets in, and how many at a time."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence

from manyhands.api.preview.heads import framing_policy
from manyhands.api.preview.visit import Visit
from manyhands.hub.core.previews import Behind, Previews
from manyhands.model.workspace.preview import PAGE_HOST

log = logging.getLogger(__name__)

MOST_VISITS = 1024
MOST_IN_A_ROW = 64
PAUSE_SECONDS = 0.5


class PreviewServer:
    """Serves on `listener` until it is closed. `frames`: the origins that may show a preview."""

    def __init__(
        self,
        listener: socket.socket,
        previews: Previews,
        frames: Sequence[str],
        is_ours: Callable[[str], bool],
        most: int = MOST_VISITS,
    ) -> None:
        self._listener = listener
        self._previews = previews
        self._loop = asyncio.get_running_loop()
        self._visits: dict[Visit, None] = {}
        self._most = most
        self._takes = False
        self.is_ours = is_ours
        self.frames = framing_policy(tuple(frames))
        self._ending = f".{PAGE_HOST}:{listener.getsockname()[1]}"
        self._go_on()

    def behind(self, host: str) -> Behind | None:
        if not host.endswith(self._ending):
            return None
        return self._previews.behind(host.removesuffix(self._ending))

    def may_ask(self, origin: str, behind: Behind, *, socket: bool) -> bool:
        """Sessions never meet: the app of one has no business with another's, though to a browser
        they are of one site. A WebSocket, which no browser checks, is for the session's own."""
        if not origin:
            return True
        asks = self.behind(origin.partition("://")[2])
        if asks is not None:
            return asks.session == behind.session
        return not socket and not origin.endswith(self._ending)

    def left(self, visit: Visit) -> None:
        self._visits.pop(visit, None)
        if not self._takes:
            self._go_on()

    def close(self) -> None:
        self._most = 0
        self._stop()
        self._listener.close()
        for visit in list(self._visits):
            visit.close()

    def _go_on(self) -> None:
        if len(self._visits) < self._most:
            self._takes = True
            self._loop.add_reader(self._listener.fileno(), self._take)

    def _stop(self) -> None:
        if self._takes:
            self._takes = False
            self._loop.remove_reader(self._listener.fileno())

    def _take(self) -> None:
        for _ in range(MOST_IN_A_ROW):
            if len(self._visits) >= self._most and not self._make_room():
                self._stop()  # those that come on top wait in the kernel
                return
            try:
                sock, _ = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as error:
                log.warning("a preview's connection could not be taken in: %s", error)
                self._stop()
                self._loop.call_later(PAUSE_SECONDS, self._go_on)
                return
            sock.setblocking(False)
            self._visits[Visit(sock, self)] = None

    def _make_room(self) -> bool:
        """The one that was taken in first and asks for nothing has had its turn."""
        idle = next((visit for visit in self._visits if visit.is_idle), None)
        if idle is not None:
            idle.close()
        return idle is not None
