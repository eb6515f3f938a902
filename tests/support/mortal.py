"""A hub that dies where a test wants it to, at a point of a job that a file names, and whose wall
clock a test sets, by seconds that another file holds."""

from __future__ import annotations

import os
import signal
import sys
import time
from datetime import datetime, tzinfo
from pathlib import Path
from typing import ClassVar

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

    file: ClassVar[str]

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Shifted:
        # Asked for by every event: most hubs under test have no such file.
        by = float(Path(cls.file).read_text()) if os.path.exists(cls.file) else 0.0  # noqa: PTH110
        return cls.fromtimestamp(time.time() + by, tz)


def run() -> int:
    Shifted.file = str(shift(config.home().root))
    vars(clock)["datetime"] = Shifted
    wanted = fate(config.home().root)

    def observe(point: str) -> None:
        if wanted.exists() and point in wanted.read_text("utf-8").split():
            os.kill(os.getpid(), signal.SIGKILL)

    return api.run(observe)


if __name__ == "__main__":
    sys.exit(run())
