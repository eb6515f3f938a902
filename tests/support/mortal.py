"""A hub that dies where a test wants it to, at a point of a job that a file names, and whose wall
clock a test sets, by seconds that another file holds."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from manyhands import config
from manyhands.api import __main__ as api
from manyhands.model import clock


def fate(home: Path) -> Path:
    """The file; without it the hub lives on."""
    return home.parent / "dies-at"


def shift(home: Path) -> Path:
    """The file with the seconds by which the wall clock is wrong."""
    return home.parent / "clock-shift"


class Shifted(datetime):
    """The wall clock, as whoever runs the machine has set it."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Shifted:
        by = 0.0
        with suppress(OSError, ValueError):
            by = float(shift(config.home().root).read_text())
        moment = datetime.now(tz) + timedelta(seconds=by)
        return cls.fromtimestamp(moment.timestamp(), tz)


def run() -> int:
    vars(clock)["datetime"] = Shifted
    wanted = fate(config.home().root)

    def observe(point: str) -> None:
        if wanted.exists() and point in wanted.read_text("utf-8").split():
            os.kill(os.getpid(), signal.SIGKILL)

    return api.run(observe)


if __name__ == "__main__":
    sys.exit(run())
