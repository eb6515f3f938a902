"""When a service that ended is started again: later each time, and not for ever."""

from __future__ import annotations

from manyhands.model.service.spec import Restart

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 30.0
MOST_IN_A_ROW = 10
"""Starts, one after the other, none of which led to a service that was well for a while."""
WELL_SECONDS = 30.0
"""Whoever was well for so long begins anew."""


def again_in(restart: Restart, exit_code: int | None, failures: int) -> float | None:
    """Seconds to wait after so many `failures` in a row, this one counted; None: not again."""
    is_asked = restart == "always" or (restart == "on-failure" and exit_code != 0)
    if not is_asked or failures > MOST_IN_A_ROW:
        return None
    return float(min(FIRST_SECONDS * 2 ** (failures - 1), LONGEST_SECONDS))
