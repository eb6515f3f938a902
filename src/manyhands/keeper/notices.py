"""Word from the system that files changed: by inotify and its like, or by polling.

Blocking calls, meant for threads. Running out of watches is never silent: it raises `NoWatches`
when the watch is made and when a new directory could not be added to it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable
from pathlib import Path

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from manyhands.keeper.watch_plan import WatchPlan

STEP_MS = 10
DEBOUNCE_MS = 50
POLL_MS = 1000

ADDED, MODIFIED, DELETED = 1, 2, 3
Change = tuple[int, str]


class NoWatches(OSError):
    """The system has no watches left for us."""


class WatchBroken(Exception):
    """The watch ended by itself, e.g. on a name that is no text; a new one must be made."""


class Notices:
    """One stream of changes below `paths`."""

    def __init__(self, paths: Iterable[Path], *, recursive: bool, polling: bool) -> None:
        self._stop = threading.Event()
        try:
            # Told to overlook denied directories it would overlook a lack of watches too.
            self._notify = RustNotify(
                [str(p) for p in paths], False, polling, POLL_MS, recursive, False
            )
        except (PermissionError, FileNotFoundError):
            raise
        except (OSError, WatchfilesRustInternalError) as error:
            raise NoWatches(str(error)) from error

    def wait(self) -> set[Change] | None:
        """The next changes, gathered over a moment; None after `close`."""
        try:
            found = self._notify.watch(DEBOUNCE_MS, STEP_MS, 0, self._stop)
        except WatchfilesRustInternalError as error:
            raise WatchBroken(str(error)) from error
        if isinstance(found, set):
            return found
        self._notify.close()
        return None

    def close(self) -> None:
        self._stop.set()


def open_notices(plan: WatchPlan, *, polling: bool) -> list[Notices]:
    pieces = ((plan.whole, True), (plan.flat, False))
    return [Notices(paths, recursive=deep, polling=polling) for paths, deep in pieces if paths]


def require_watches(directory: Path) -> None:
    """Raise `NoWatches` where a directory that just appeared cannot have been added."""
    with contextlib.suppress(PermissionError, FileNotFoundError):
        Notices([directory], recursive=False, polling=False)
