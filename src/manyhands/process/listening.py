"""On which ports the processes of sessions listen: one look at the machine for all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from manyhands.process.identity import LINUX, PROC, environments

LISTEN = "0A"
MARK = "MANYHANDS_SESSION="
MOST_REUSED = 5


class Listener(msgspec.Struct, frozen=True):
    session: str
    port: int
    pid: int
    process: str


class Listeners:
    """Looks again and again, and closely only where something may have changed."""

    def __init__(self) -> None:
        self._sockets: dict[str, int] = {}
        self._found: list[Listener] = []
        self._reused = 0

    def find(self) -> list[Listener]:
        """Every TCP port on which a process listens that carries a session's mark; never our own.

        The same sockets are the same listeners, but that one may be left to a child by now.
        """
        sockets = _listening_sockets() if LINUX else {}
        if LINUX and sockets == self._sockets and self._reused < MOST_REUSED:
            self._reused += 1
            return self._found
        self._sockets, self._reused = sockets, 0
        self._found = [] if LINUX and not sockets else _look(sockets)
        return self._found


def _look(sockets: dict[str, int]) -> list[Listener]:
    found = []
    for pid, variables in environments():
        session = next((v[len(MARK) :] for v in variables if v.startswith(MARK)), "")
        if not session or pid == os.getpid():
            continue
        ports = set(_ports_by_proc(pid, sockets) if LINUX else _ports_by_psutil(pid))
        found += [Listener(session, port, pid, _name(pid)) for port in sorted(ports)]
    return found


def _listening_sockets() -> dict[str, int]:
    """Socket numbers of all listeners, with their ports."""
    found: dict[str, int] = {}
    for table in ("tcp", "tcp6"):
        try:
            lines = (PROC / "self/net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for fields in map(str.split, lines):
            if fields[3] == LISTEN:
                found[f"socket:[{fields[9]}]"] = int(fields[1].rpartition(":")[2], 16)
    return found


def _ports_by_proc(pid: int, sockets: dict[str, int]) -> Iterator[int]:
    try:
        for entry in os.scandir(PROC / str(pid) / "fd"):
            try:
                target = str(Path(entry.path).readlink())
            except OSError:
                continue
            if target in sockets:
                yield sockets[target]
    except OSError:
        return


def _ports_by_psutil(pid: int) -> Iterator[int]:
    import psutil

    try:
        for link in psutil.Process(pid).net_connections("tcp"):
            if link.status == psutil.CONN_LISTEN:
                yield link.laddr.port
    except (psutil.Error, OSError):
        return


def _name(pid: int) -> str:
    import psutil

    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return ""
