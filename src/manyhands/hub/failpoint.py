"""Points at which a test lets the hub die: names in a file of the home, read only if it is there.

A line is ``before:<step>`` (recorded as begun, nothing done), ``done:<step>`` (done, not recorded)
or ``after:<step>`` (recorded as done).
"""

from __future__ import annotations

from manyhands.config import Home
from manyhands.process.death import die


def reach(home: Home, point: str) -> None:
    try:
        wanted = home.failpoints.read_text("utf-8").split()
    except FileNotFoundError:
        return
    if point in wanted:
        die()
