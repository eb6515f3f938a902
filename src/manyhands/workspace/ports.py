"""Ports for sessions: which are free on this machine, and which a session gets."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable, Collection, Mapping, Sequence

from manyhands.errors import NotPossible

_ABSENT = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT}


def is_free(port: int) -> bool:
    """Whether a server could listen there now, on IPv4 and, where there is one, on IPv6."""
    return _binds(socket.AF_INET, "0.0.0.0", port) and _binds(socket.AF_INET6, "::", port)


def _binds(family: socket.AddressFamily, address: str, port: int) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if sys.platform == "linux":
                # Passes over what old connections left behind; elsewhere it would hide a listener.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            probe.bind((address, port))
    except OSError as error:
        return family == socket.AF_INET6 and error.errno in _ABSENT
    return True


def lease(
    names: Sequence[str],
    bounds: tuple[int, int],
    *,
    taken: Collection[int],
    remembered: Collection[int] = (),
    wanted: Mapping[str, int] | None = None,
    free: Callable[[int], bool] = is_free,
) -> dict[str, int]:
    """One port per name: the wanted one where it is still free, else the first that is.

    `taken` are leased to others; `remembered` belong to archived sessions and come last.
    """
    found: dict[str, int] = {}
    used = set(taken)
    for name in names:
        first = [wanted[name]] if wanted and name in wanted else []
        fresh = [p for p in range(bounds[0], bounds[1] + 1) if p not in remembered]
        old = [p for p in range(bounds[0], bounds[1] + 1) if p in remembered]
        port = next((p for p in (*first, *fresh, *old) if p not in used and free(p)), None)
        if port is None:
            raise NotPossible(
                f"no port from {bounds[0]} to {bounds[1]} is free for {name!r}",
                hint="archive a session, or widen `ports` under [workspaces] in the config",
            )
        found[name] = port
        used.add(port)
    return found
