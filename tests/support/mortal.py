"""A hub that dies where a test wants it to: at a point of a job that a file names."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from manyhands import config
from manyhands.api import __main__ as api


def fate(home: Path) -> Path:
    """The file; without it the hub lives on."""
    return home.parent / "dies-at"


def run() -> int:
    wanted = fate(config.home().root)

    def observe(point: str) -> None:
        if wanted.exists() and point in wanted.read_text("utf-8").split():
            os.kill(os.getpid(), signal.SIGKILL)

    return api.run(observe)


if __name__ == "__main__":
    sys.exit(run())
