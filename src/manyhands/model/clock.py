"""The one clock: wall time for what people read, monotonic time for what waits."""

from __future__ import annotations

import time
from datetime import UTC, datetime

Instant = str
"""ISO 8601 in UTC with milliseconds, e.g. ``2026-01-31T08:15:30.125Z``; sorts as text."""


def now() -> Instant:
    return _written(datetime.now(UTC))


def instant(seconds: float) -> Instant:
    """Seconds since 1970, as files carry them."""
    return _written(datetime.fromtimestamp(seconds, UTC))


def _written(at: datetime) -> Instant:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def monotonic() -> float:
    """Seconds that neither jump with the wall clock nor fire a time-out after a sleep."""
    return time.monotonic()


def seconds_since(seconds: float) -> float:
    """How long ago a moment was that is told in seconds since 1970, as files tell theirs."""
    return time.time() - seconds
