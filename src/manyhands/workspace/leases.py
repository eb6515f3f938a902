"""Which ports the homes of this user hold, so that no two of them give away the same one.

One small file for all, changed under a lock. What a home holds is what its own log says: whenever
it leases, its entry is written anew, and the entry of a home that is gone counts for nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from manyhands.config import Home, shared_state
from manyhands.errors import NotPossible

LOCK_SECONDS = 30.0
Held = dict[str, list[int]]
"""By the home's path."""


def lease_among_homes(
    home: Home, own: Collection[int], choose: Callable[[frozenset[int]], dict[str, int]]
) -> dict[str, int]:
    """What `choose` makes of the ports that other homes hold; noted with `own` as this home's."""
    with _held(home) as held:
        found = choose(_others(held, home))
        held[str(home.root)] = sorted({*own, *found.values()})
        return found


def note_ports(home: Home, own: Collection[int]) -> None:
    """The home holds these, and no others."""
    with _held(home) as held:
        held[str(home.root)] = sorted(set(own) - _others(held, home))


def _others(held: Held, home: Home) -> frozenset[int]:
    return frozenset(p for root, ports in held.items() if root != str(home.root) for p in ports)


@contextlib.contextmanager
def _held(home: Home) -> Iterator[Held]:
    """To be read and changed; written as one piece, and only where it changed."""
    path = shared_state() / "ports.json"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(f"{path}.lock", timeout=LOCK_SECONDS, mode=0o600):
            before = _load(path)
            held = {
                root: ports for root, ports in before.items() if Home(Path(root)).store.exists()
            }
            yield held
            if held != before:
                part = path.with_suffix(".part")
                part.write_bytes(msgspec.json.encode(held))
                part.replace(path)
    except (OSError, Timeout) as error:
        raise NotPossible(
            f"which ports other homes hold cannot be told: {error}",
            hint=f"make {path.parent} a directory that you can write",
        ) from error


def _load(path: Path) -> Held:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Held)
    except (FileNotFoundError, msgspec.DecodeError):
        return {}
