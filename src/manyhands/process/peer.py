"""Which process is at the other end of a connection, as the kernel tells it.

Of a Unix socket the kernel knows the process. Of a TCP connection on this machine it knows the
other end's socket, and the process is whoever holds that. Where it does not tell (another
system, another user's process, another machine), nothing is known, and nothing is claimed.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from manyhands.process.identity import LINUX, PROC
from manyhands.process.lineage import is_ours

Address = tuple[str, int]
SOL_LOCAL, LOCAL_PEERPID = 0, 2
# One connection is asked for by its two ends; see sock_diag(7).
SOCK_DIAG, BY_FAMILY, ONE, TCP, ANY_STATE = 4, 20, 1, 6, 0xFFFFFFFF
HEAD, ENDS, REST = struct.Struct("=IHHIIBBxxI"), struct.Struct(">HH16s16s"), b"\0" * 4 + b"\xff" * 8
KIND, UID, INODE = slice(4, 6), slice(80, 84), slice(84, 88)
MOST_BYTES = 4096


@dataclass(frozen=True)
class Peer:
    """Those who hold the other end. Where none is seen, `hidden` are those who let nobody look
    and may hold it; with none of these either, whoever it was is gone."""

    holders: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()


def peer_pid(link: socket.socket) -> int:
    """Of a Unix socket; 0 where the system does not tell."""
    with suppress(OSError, AttributeError):
        if LINUX:
            told = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", told)[0])
        return int(link.getsockopt(SOL_LOCAL, LOCAL_PEERPID))
    return 0


def find_peer(theirs: Address, ours: Address, likely: Sequence[int] = ()) -> Peer | None:
    """Of a TCP connection between these two ends; the `likely` are looked at first. None where
    it cannot be known."""
    if not LINUX:
        return _peer_by_psutil(theirs, ours, likely)
    try:
        found = _their_socket(theirs, ours)
    except OSError:  # a kernel that is not asked in this way
        return None
    if found is None:
        return Peer() if _is_here(theirs, ours) else None
    uid, inode = found
    if not inode:
        return Peer()
    if uid != os.getuid():
        return None
    name = f"socket:[{inode}]"
    for pid in likely:
        if _holds(pid, name):
            return Peer((pid,))
    return _search(name)


def listens(pid: int, port: int) -> bool:
    """Whether it is this process that listens on the loopback's port; where the system does not
    tell, it may be."""
    if not LINUX:
        return _listens_by_psutil(pid, port)
    try:
        found = _their_socket(("127.0.0.1", port), ("0.0.0.0", 0))
    except OSError:
        return True
    return found is not None and _holds(pid, f"socket:[{found[1]}]") is not False


def _is_here(theirs: Address, ours: Address) -> bool:
    return theirs[0] == ours[0] or theirs[0] == "::1" or theirs[0].startswith("127.")


def _their_socket(theirs: Address, ours: Address) -> tuple[int, int] | None:
    """Whose it is, and its number, which is 0 once nobody holds it."""
    family = socket.AF_INET6 if ":" in theirs[0] else socket.AF_INET
    packed = [socket.inet_pton(family, end[0]) for end in (theirs, ours)]
    ends = ENDS.pack(theirs[1], ours[1], *packed) + REST
    size = HEAD.size + len(ends)
    head = HEAD.pack(size, BY_FAMILY, ONE, 0, 0, family, TCP, ANY_STATE)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
        kernel.send(head + ends)
        told = kernel.recv(MOST_BYTES)
    if int.from_bytes(told[KIND], sys.byteorder) != BY_FAMILY:
        return None
    return int.from_bytes(told[UID], sys.byteorder), int.from_bytes(told[INODE], sys.byteorder)


def _search(name: str) -> Peer:
    holders, hidden = [], []
    for pid in _pids():
        held = _holds(pid, name)
        if held:
            holders.append(pid)
        elif held is None and is_ours(pid):
            hidden.append(pid)
    return Peer(tuple(holders)) if holders else Peer(hidden=tuple(hidden))


def _pids() -> Iterator[int]:
    for entry in os.scandir(PROC):
        if entry.name.isdigit():
            yield int(entry.name)


def _holds(pid: int, name: str) -> bool | None:
    """None where it lets nobody look."""
    place = f"{PROC}/{pid}/fd"
    try:
        held = os.listdir(place)  # noqa: PTH208
    except PermissionError:
        return None
    except OSError:
        return False
    # By plain strings: there are thousands of them to look at.
    return any(_target(f"{place}/{one}") == name for one in held)


def _target(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115
    except OSError:
        return ""


def _peer_by_psutil(theirs: Address, ours: Address, likely: Sequence[int]) -> Peer | None:
    """Only among the likely: to look at all processes takes rights that we may lack."""
    import psutil

    for pid in likely:
        with suppress(psutil.Error, OSError):
            for link in psutil.Process(pid).net_connections("tcp"):
                if (tuple(link.laddr), tuple(link.raddr)) == (theirs, ours):
                    return Peer((pid,))
    return None


def _listens_by_psutil(pid: int, port: int) -> bool:
    import psutil

    try:
        links = psutil.Process(pid).net_connections("tcp")
    except (psutil.AccessDenied, OSError):
        return True
    except psutil.Error:
        return False
    return any(link.status == psutil.CONN_LISTEN and link.laddr.port == port for link in links)
