"""What went wrong in the background since the hub began: kept few, told by the doctor and `status`.

Nobody waits for such work, so nobody would hear of its failure otherwise.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from manyhands.errors import ManyhandsError, StoreFailed
from manyhands.model.clock import Instant, now

log = logging.getLogger(__name__)
MOST = 100
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
WELL_SECONDS = 10.0
"""So long what began anew must go well, before nothing is told of its failure any more."""


class Fault(msgspec.Struct, frozen=True):
    where: str
    what: str
    first_at: Instant
    last_at: Instant
    count: int = 1


class Faults:
    """One for each place; `over` once the same work has succeeded again. What only follows from
    the store's own trouble, which is told anyway, is no fault of the place."""

    def __init__(self, in_trouble: Callable[[], bool]) -> None:
        self._known: dict[str, Fault] = {}
        self._in_trouble = in_trouble

    def note(self, where: str, error: BaseException) -> None:
        """The first of its kind is logged with all its details, repetitions in a line."""
        what, at = said(error), now()
        if self._in_trouble() and isinstance(error, StoreFailed):
            log.warning("%s: %s", where, what)
            return
        before = self._known.pop(where, None)
        if before is None or before.what != what:
            log.error("%s: %s", where, what, exc_info=error)
            fault = Fault(where, what, at, at)
        else:
            log.warning("%s: %s, for the %dth time", where, what, before.count + 1)
            fault = msgspec.structs.replace(before, last_at=at, count=before.count + 1)
        self._known[where] = fault
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]

    def over(self, where: str) -> None:
        if self._known.pop(where, None) is not None:
            log.info("%s: it works again", where)

    @property
    def known(self) -> list[Fault]:
        """The latest last."""
        return list(self._known.values())


def said(error: BaseException) -> str:
    """In one line, as whoever reads it may know the kind of error or not."""
    if isinstance(error, ManyhandsError):
        return error.message
    if isinstance(error, BaseExceptionGroup):
        return said(error.exceptions[0])
    return " ".join(f"{type(error).__name__}: {error}".split())


def name_of(work: object) -> str:
    """Of a function or coroutine, as people who look for it write it."""
    known = getattr(work, "__qualname__", "") or type(work).__name__
    return str(known).replace(".<locals>", "").replace(".<lambda>", "")


class Pauses:
    """Between two tries of what failed: longer each time, until it goes well for a while."""

    def __init__(self) -> None:
        self._next = FIRST_PAUSE

    def after(self, seconds: float) -> float:
        """How long to wait after a try that went well for so long."""
        pause = FIRST_PAUSE if seconds > LONGEST_PAUSE else self._next
        self._next = min(2 * pause, LONGEST_PAUSE)
        return pause
