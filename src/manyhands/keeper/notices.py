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

STEP_MS = 25
DEBOUNCE_MS = 50
POLL_MS = 1000

ADDED, MODIFIED, DELETED = 1, 2, 3
Change = tuple[int, str]


class NoWatches(OSError):
    """The system has no watches left for us."""


class WatchBroken(Exception):
    """The watch ended by itself, e.g. on a name that is no text; a new one must be made."""


class Notices:
    """One stream of changes below `paths`.

    `bell` is a directory of ours that is watched with them. The system tells changes in their
    order, so whoever hears a ring has heard of everything that was changed before it.
    """

    def __init__(
        self, paths: Iterable[Path], *, recursive: bool, polling: bool, bell: Path | None = None
    ) -> None:
        self._stop = threading.Event()
        self._bell = bell
        self._rung = 0
        self.heard = 0
        if bell is not None:
            bell.mkdir(mode=0o700, parents=True, exist_ok=True)
            paths = (*paths, bell)
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
            return self._listen(found)
        self._notify.close()
        return None

    def ring(self) -> int:
        """The number that `heard` will have reached once all changes until now are told."""
        assert self._bell is not None
        (self._bell / str(self._rung)).unlink(missing_ok=True)
        self._rung += 1
        (self._bell / str(self._rung)).touch()
        return self._rung

    def _listen(self, found: set[Change]) -> set[Change]:
        if self._bell is None:
            return found
        start = f"{self._bell}/"
        rings = {change for change in found if change[1].startswith(start)}
        self.heard = max([self.heard, *(int(path.removeprefix(start)) for _, path in rings)])
        return {change for change in found - rings if change[1] != str(self._bell)}

    def close(self) -> None:
        self._stop.set()


def open_notices(plan: WatchPlan, bells: Path, *, polling: bool) -> list[Notices]:
    pieces = ((plan.whole, True, bells / "whole"), (plan.flat, False, bells / "flat"))
    return [
        Notices(paths, recursive=deep, polling=polling, bell=bell)
        for paths, deep, bell in pieces
        if paths
    ]


def require_watches(directory: Path) -> None:
    """Raise `NoWatches` where a directory that just appeared cannot have been added."""
    with contextlib.suppress(PermissionError, FileNotFoundError):
        Notices([directory], recursive=False, polling=False)
