"""A network of a session's own, in which everything that it runs in a box is together.

Bubblewrap makes it, with nothing but a loopback, around a process that hands out sockets of it
(`door.py`). We hold the namespaces themselves: whatever is started for the session enters them
first, and they last until we close them, even if that process should be killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections import deque
from pathlib import Path

from manyhands.box.network import door
from manyhands.errors import MachineFailed
from manyhands.process.identity import PROC
from manyhands.process.spawn import Child, Handed, spawn
from manyhands.process.stop import Patience, stop_child

READY_SECONDS = 20.0
LOOPBACK = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
LISTENING = "0A"
"""The state of a listening socket, as the kernel writes it."""


class NetworkSpace:
    def __init__(self, bubblewrap: str) -> None:
        self._bubblewrap = bubblewrap
        self._door: Child | None = None
        self._link: socket.socket | None = None
        self._waiting: deque[asyncio.Future[list[int]]] = deque()
        self._opening = asyncio.Lock()
        self.namespaces: tuple[int, ...] = ()

    @property
    def handed(self) -> Handed:
        """What a child is given so that it runs in here."""
        return Handed(namespaces=self.namespaces)

    @property
    def is_open(self) -> bool:
        return self._link is not None

    async def open(self) -> None:
        """Make the space; where it is there and only its door is gone, another door."""
        async with self._opening:
            if self._link is not None:
                return
            try:
                given = await asyncio.wait_for(self._start(), READY_SECONDS)
            except BaseException:
                self._let_go()
                raise
            if self.namespaces:
                _close(given)
            else:
                self.namespaces = tuple(given)

    async def _start(self) -> list[int]:
        ours, theirs = socket.socketpair()
        with theirs:
            script = [sys.executable, "-IS", str(door.__file__), str(theirs.fileno())]
            around = [] if self.namespaces else _around(self._bubblewrap)
            self._door = await spawn(
                [*around, *script],
                cwd=Path("/"),
                env={},
                tethered=True,
                handed=Handed(self.namespaces, kept=(theirs.fileno(),)),
            )
        ours.setblocking(False)
        self._link = ours
        asyncio.get_running_loop().add_reader(ours.fileno(), self._receive)
        try:
            given = await self._next()
        except ConnectionError:
            given = []
        if len(given) != 2:
            _close(given)
            await self._fail()
        return given

    async def _fail(self) -> None:
        assert self._door is not None
        await self._door.wait()
        said = self._door.errors.text()
        raise MachineFailed(
            f"a network for the box could not be made: {said or 'bubblewrap ended'}",
            hint='`manyhands doctor` tries the box; network = "open" does without',
        )

    async def fresh(self, family: socket.AddressFamily = socket.AF_INET) -> socket.socket:
        """A fresh one, neither bound nor connected; it does not block."""
        await self.open()
        assert self._link is not None
        self._link.send(b"6" if family == socket.AF_INET6 else b"4")
        given = await self._next()
        if not given:
            raise OSError("no more sockets, or none of this family")
        made = socket.socket(fileno=given[0])
        made.setblocking(False)
        return made

    async def listen(self, port: int, family: socket.AddressFamily) -> socket.socket:
        made = await self.fresh(family)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((LOOPBACK[family], port))
            made.listen(socket.SOMAXCONN)
        except OSError:
            made.close()
            raise
        return made

    async def connect(self, port: int) -> socket.socket:
        """To a service inside; some listen by the one family only, some by the other."""
        problem: OSError = ConnectionRefusedError(port)
        for family, address in LOOPBACK.items():
            made: socket.socket | None = None
            try:
                made = await self.fresh(family)
                await asyncio.get_running_loop().sock_connect(made, (address, port))
                return made
            except OSError as error:
                problem = error
                if made is not None:
                    made.close()
        raise problem

    def listening(self) -> set[int]:
        """The ports that are served in here, whoever serves them."""
        found: set[int] = set()
        pid = self._inner_pid
        for table in ("tcp", "tcp6") if pid else ():
            with contextlib.suppress(OSError):
                lines = (PROC / str(pid) / "net" / table).read_text("ascii").splitlines()[1:]
                rows = (line.split() for line in lines)
                found |= {int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == LISTENING}
        return found

    @property
    def _inner_pid(self) -> int:
        """Of the door itself, where bubblewrap is around it."""
        if self._door is None or not self._door.alive:
            return 0
        pid = self._door.pid
        with contextlib.suppress(OSError, IndexError, ValueError):
            return int((PROC / f"{pid}/task/{pid}/children").read_text("ascii").split()[0])
        return pid

    def close(self) -> None:
        """Closed at the other end, the door goes by itself."""
        self._let_go()
        _close(self.namespaces)
        self.namespaces = ()

    async def stop(self) -> None:
        self.close()
        if self._door is not None:
            await stop_child(self._door, patience=Patience(term=2.0, kill=2.0))

    def _next(self) -> asyncio.Future[list[int]]:
        waiting: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        return waiting

    def _receive(self) -> None:
        assert self._link is not None
        try:
            said, given, _, _ = socket.recv_fds(self._link, 1, 2)
        except BlockingIOError:
            return
        except OSError:
            said, given = b"", []
        if not said:
            self._let_go()
            return
        waiting = self._waiting.popleft()
        if waiting.done():
            _close(given)
        else:
            waiting.set_result(given)

    def _let_go(self) -> None:
        if self._link is not None:
            asyncio.get_running_loop().remove_reader(self._link.fileno())
            self._link.close()
            self._link = None
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_exception(ConnectionResetError("the box's network is closed"))


def _around(bubblewrap: str) -> list[str]:
    """Users and network are its own, all else is as outside."""
    own = ("--unshare-user", "--unshare-net", "--die-with-parent")
    return [bubblewrap, *own, "--dev-bind", "/", "/", "--"]


def _close(descriptors: tuple[int, ...] | list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
