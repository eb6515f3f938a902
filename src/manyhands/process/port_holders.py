"""On which ports a few processes listen, wherever their network is, and who holds a port here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from manyhands.process.identity import LINUX, PROC, variables_of

LISTENS = "0A"
MARK = "MANYHANDS_SESSION="


@dataclass(frozen=True)
class PortHolder:
    pid: int
    name: str
    session: str = ""
    """Whose mark it carries."""


def ports_of(pids: Iterable[int]) -> set[int]:
    """The TCP ports on which these processes listen, as they call them."""
    if not LINUX:
        return {port for pid in pids for port in _ports_by_psutil(pid)}
    found: set[int] = set()
    tables: dict[str, dict[str, int]] = {}
    for pid in pids:
        with suppress(OSError):
            space = str((PROC / f"{pid}/ns/net").readlink())
            if space not in tables:
                tables[space] = _listening(pid)
            found |= {tables[space][name] for name in _sockets(pid) if name in tables[space]}
    return found


def holder_of(port: int) -> PortHolder | None:
    """Who listens on a port of this machine, as far as it may be known; never ourselves."""
    import psutil

    held = {name for name, p in _listening(os.getpid()).items() if p == port} if LINUX else set()
    for pid in psutil.pids() if held or not LINUX else ():
        with suppress(OSError, psutil.Error):
            is_it = held & set(_sockets(pid)) if LINUX else port in _ports_by_psutil(pid)
            if is_it and pid != os.getpid():
                marks = (v for v in variables_of(pid) if v.startswith(MARK))
                session = next(marks, "").removeprefix(MARK)
                return PortHolder(pid, psutil.Process(pid).name(), session)
    return None


def _listening(pid: int) -> dict[str, int]:
    """Sockets that listen in the network of this process, with their ports."""
    found = {}
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (PROC / f"{pid}/net/{table}").read_text("ascii").splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTENS:
                    found[f"socket:[{fields[9]}]"] = int(fields[1].rpartition(":")[2], 16)
    return found


def _sockets(pid: int) -> Iterator[str]:
    for entry in os.scandir(PROC / str(pid) / "fd"):
        with suppress(OSError):
            yield str(Path(entry.path).readlink())


def _ports_by_psutil(pid: int) -> Iterator[int]:
    import psutil

    with suppress(psutil.Error, OSError):
        for link in psutil.Process(pid).net_connections("tcp"):
            if link.status == psutil.CONN_LISTEN:
                yield link.laddr.port
