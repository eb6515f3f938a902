"""The one clock: wall time for what people read, monotonic time for what waits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeVar

T = TypeVar("T")

Instant = str
"""ISO 8601 in UTC with milliseconds, e.g. ``2026-01-31T08:15:30.125Z``; sorts as text."""

DRIFT_SECONDS = 5.0
"""A wall clock that is only being set right goes by far less at once."""


def now() -> Instant:
    return _text(datetime.now(UTC))


def instant(seconds: float) -> Instant:
    """The moment so many seconds after the beginning of 1970."""
    return _text(datetime.fromtimestamp(seconds, UTC))


def later(at: Instant, seconds: float) -> Instant:
    return _text(datetime.fromisoformat(at) + timedelta(seconds=seconds))


def seconds_between(start: Instant, end: Instant) -> float:
    """Never negative; nothing where one of them is no moment."""
    try:
        gone = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except ValueError:
        return 0.0
    return max(0.0, gone.total_seconds())


def _text(moment: datetime) -> Instant:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def monotonic() -> float:
    """Seconds that neither jump with the wall clock nor fire a time-out after a sleep."""
    return time.monotonic()


class Jumps:
    """How far the wall clock went another way than time did: it was set, or the machine slept."""

    def __init__(self) -> None:
        self._apart = _apart()

    def take(self) -> float:
        """The seconds since it was asked last; 0 where both clocks went on together."""
        apart = _apart()
        jumped = apart - self._apart
        if abs(jumped) < DRIFT_SECONDS:
            return 0.0
        self._apart = apart
        return jumped

    def give_back(self, seconds: float) -> None:
        """They were not put to use, and are to be taken again."""
        self._apart -= seconds


def _apart() -> float:
    return datetime.now(UTC).timestamp() - monotonic()


def local_time() -> datetime:
    """The wall clock of whoever sits here."""
    return datetime.now().astimezone()


def seconds_until(at: Instant) -> float:
    return max(0.0, (datetime.fromisoformat(at) - datetime.now(UTC)).total_seconds())


def local_day(at: Instant) -> str:
    """The day on this machine's calendar, such as ``2026-01-31``."""
    return datetime.fromisoformat(at).astimezone().date().isoformat()


def local_days(start: Instant, end: Instant) -> Iterator[tuple[str, float]]:
    """The days that an interval touches, with its seconds in each."""
    here, last = (datetime.fromisoformat(at).astimezone() for at in (start, end))
    while here < last:
        tomorrow = datetime.combine(here.date() + timedelta(days=1), datetime.min.time())
        until = min(tomorrow.astimezone(), last)
        yield here.date().isoformat(), (until - here).total_seconds()
        here = until


def seconds_since(seconds: float) -> float:
    """How long ago a moment was that is told in seconds since 1970, as files tell theirs."""
    return time.time() - seconds


def timed_on_processor(work: Callable[[], T]) -> tuple[T, float]:
    """What `work` gives, and the processor's seconds of this thread and of children that ended."""
    began = _used()
    return work(), _used() - began


def _used() -> float:
    children = os.times()
    return time.thread_time() + children.children_user + children.children_system
