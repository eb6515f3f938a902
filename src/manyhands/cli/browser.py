"""The user's browser, opened only where a person sits in front of a display."""

from __future__ import annotations

import shutil
import sys

from manyhands.cli.terminal import is_terminal
from manyhands.config import Home, variable
from manyhands.process.editor import launch


def open_page(home: Home, url: str) -> bool:
    """Whether a browser was asked; none is where there is no terminal or no display."""
    opener = shutil.which("open" if sys.platform == "darwin" else "xdg-open")
    if opener is None or not is_terminal() or not _has_display():
        return False
    launch(home, [opener, url])
    return True


def _has_display() -> bool:
    if sys.platform == "darwin":
        return not variable("SSH_CONNECTION")
    return bool(variable("DISPLAY") or variable("WAYLAND_DISPLAY"))
