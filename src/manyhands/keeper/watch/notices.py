"""Word from the system that files changed: what is told of them, and by a thread of `watchfiles`.

Paths are relative to the watched directory. Nothing is told of `.git`, nor from below what is left
out; of a directory that appears, all that is in it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Protocol

STEP_MS = 25
DEBOUNCE_MS = 50
ADDED = 1
EVERYTHING = ""
"""The path that stands for all: something changed that was not told by itself."""


class WatchFailed(OSError):
    """The system cannot watch for us, or not any more."""


class Notices(Protocol):
    async def next(self) -> set[str]:
        """The next changes, gathered over a moment."""
        ...

    async def rest(self) -> set[str]:
        """What was changed before this call and is not told yet."""
        ...

    def close(self) -> None: ...


OpenNotices = Callable[[Path, Collection[str]], Notices]


class Watchfiles:
    """Implements `Notices`. `bell` is a directory of ours that is watched with the root. The system
    tells changes in their order, so whoever hears a ring has heard of all that was before it."""

    def __init__(self, root: Path, left_out: Collection[str], bell: Path) -> None:
        # Where there is inotify it is not needed.
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        bell.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._root, self._bell = f"{root.resolve()}/", f"{bell.resolve()}/"
        self._left_out = tuple(f"{name}/" for name in left_out)
        self._stop = threading.Event()
        self._problems = (OSError, WatchfilesRustInternalError)
        self._rung = self._heard = 0
        self._listened = asyncio.Condition()
        try:
            self._notify = RustNotify([self._root, self._bell], False, False, 0, True, False)
        except self._problems as error:
            raise WatchFailed(f"the system has no file watches left ({error})") from error

    async def next(self) -> set[str]:
        found = await asyncio.to_thread(self._wait)
        rings = [int(path.removeprefix(self._bell)) for path in found if path[0] == "/"]
        async with self._listened:
            self._heard = max([self._heard, *rings])
            self._listened.notify_all()
        return {path for path in found if path[0] != "/"}

    async def rest(self) -> set[str]:
        """Nothing: whoever awaits `next` has got it."""
        Path(self._bell, str(self._rung)).unlink(missing_ok=True)
        self._rung = ring = self._rung + 1
        Path(self._bell, str(ring)).touch()
        async with self._listened:
            await self._listened.wait_for(lambda: self._heard >= ring)
        return set()

    def close(self) -> None:
        self._stop.set()

    def _wait(self) -> set[str]:
        try:
            found = self._notify.watch(DEBOUNCE_MS, STEP_MS, 0, self._stop)
        except self._problems as error:
            raise WatchFailed(str(error)) from error
        if not isinstance(found, set):
            self._notify.close()
            return set()
        return {path for kind, full in found for path in self._told(full, kind == ADDED)}

    def _told(self, full: str, appeared: bool) -> Iterator[str]:
        """A ring by its whole path, all else by where it is below the root."""
        if full.startswith(self._bell):
            yield full
        path = full.removeprefix(self._root)
        if path[0] == "/" or ".git" in path.split("/") or path.startswith(self._left_out):
            return
        yield path
        if appeared and not Path(full).is_symlink():
            for place, _, names in os.walk(full):
                yield from (f"{place}/{name}".removeprefix(self._root) for name in names)
