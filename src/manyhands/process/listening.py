"""On which ports the processes of sessions listen: found for all of them at once."""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from manyhands.model.workspace.events import Listener
from manyhands.process.identity import PROC, environments

# A question to the kernel and where its answers hold what is asked; see sock_diag(7).
SOCK_DIAG, BY_FAMILY, DUMP, TCP, LISTEN, DONE = 4, 20, 0x301, 6, 1 << 10, 3
REQUEST, HEADER = struct.Struct("=IHHIIBBxxI48x"), struct.Struct("=IH")
PORT, INODE, MOST_BYTES = slice(20, 22), slice(84, 88), 64 * 1024
MARK = "MANYHANDS_SESSION="
MOST_REUSED = 30


class Listeners:
    """Looks again and again, and closely only where something may have changed."""

    def __init__(self) -> None:
        self._sockets: dict[str, int] | None = None
        self._found: list[Listener] = []
        self._reused = 0

    def find(self) -> list[Listener]:
        """Every TCP port on which a process listens that carries a session's mark; never our own.

        The same sockets of the same processes are the same listeners.
        """
        sockets = _listening_sockets()
        is_known = sockets is not None and sockets == self._sockets and self._all_live()
        self._reused = self._reused + 1 if is_known and self._reused < MOST_REUSED else 0
        if not self._reused:
            self._sockets, self._found = sockets, [] if sockets == {} else _find_listeners(sockets)
        return self._found

    def _all_live(self) -> bool:
        """One that ended may have left its socket to a child."""
        return all((PROC / str(listener.pid)).exists() for listener in self._found)


def _find_listeners(sockets: dict[str, int] | None) -> list[Listener]:
    found = []
    for pid, variables in environments():
        session = next((v[len(MARK) :] for v in variables if v.startswith(MARK)), "")
        if not session or pid == os.getpid():
            continue
        ports = set(_ports_by_psutil(pid) if sockets is None else _ports_by_proc(pid, sockets))
        found += [Listener(session, port, pid, _name(pid)) for port in sorted(ports)]
    return found


def _listening_sockets() -> dict[str, int] | None:
    """Socket numbers of all listeners, with their ports; None where the kernel does not tell.

    It is asked for these alone: its tables of all connections take it milliseconds to write.
    """
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
            told = [*_told(kernel, socket.AF_INET), *_told(kernel, socket.AF_INET6)]
    except (OSError, AttributeError):
        return None
    return {f"socket:[{inode}]": port for port, inode in told}


def _told(kernel: socket.socket, family: int) -> Iterator[tuple[int, int]]:
    kernel.send(REQUEST.pack(REQUEST.size, BY_FAMILY, DUMP, 0, 0, family, TCP, LISTEN))
    while answer := kernel.recv(MOST_BYTES):
        while answer:
            size, kind = HEADER.unpack_from(answer)
            if kind == DONE:
                return
            if kind != BY_FAMILY:
                raise OSError("the kernel does not tell which sockets listen")
            yield int.from_bytes(answer[PORT]), int.from_bytes(answer[INODE], sys.byteorder)
            answer = answer[size:]


def _ports_by_proc(pid: int, sockets: dict[str, int]) -> Iterator[int]:
    with suppress(OSError):
        for entry in os.scandir(PROC / str(pid) / "fd"):
            with suppress(OSError):
                target = str(Path(entry.path).readlink())
                if target in sockets:
                    yield sockets[target]


def _ports_by_psutil(pid: int) -> Iterator[int]:
    import psutil

    with suppress(psutil.Error, OSError):
        for link in psutil.Process(pid).net_connections("tcp"):
            if link.status == psutil.CONN_LISTEN:
                yield link.laddr.port


def _name(pid: int) -> str:
    import psutil

    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return ""
