"""Quiet hours: a span of the day in which nobody wants to be told anything."""

from __future__ import annotations

from datetime import datetime, time, timedelta


def quiet_seconds(hours: str, at: datetime) -> float:
    """How long the quiet hours go on, 0 outside of them; `hours` as in ``22:00-07:00``."""
    if not hours:
        return 0.0
    begin, end = (time.fromisoformat(part.strip()) for part in hours.split("-"))
    clock = at.time().replace(tzinfo=None)
    over_night = begin > end
    within = clock >= begin or clock < end if over_night else begin <= clock < end
    if not within:
        return 0.0
    until = at.replace(hour=end.hour, minute=end.minute, second=0, microsecond=0)
    if until <= at:
        until += timedelta(days=1)
    return (until - at).total_seconds()
