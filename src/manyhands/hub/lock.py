"""One hub per home: a lock held for the hub's whole life, released by the kernel at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from manyhands.config import Home
from manyhands.errors import NotPossible


@contextmanager
def hub_lock(home: Home) -> Iterator[None]:
    lock = FileLock(home.locks / "hub.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise NotPossible(
            f"another hub already runs on {home.root}",
            hint="`manyhands status` shows it, `manyhands down` stops it",
        ) from None
    try:
        yield
    finally:
        lock.release()
