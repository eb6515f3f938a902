"""The machine that a station is on: its listeners, disk and open files, the user's own commands."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
from collections.abc import Sequence
from pathlib import Path

from manyhands.config import Home, child_environment
from manyhands.git.command_log import command_log
from manyhands.model.clock import monotonic
from manyhands.model.redaction import Redactor
from manyhands.process.limits import ENOUGH, open_files
from manyhands.process.listening import Listeners
from manyhands.process.spawn import spawn
from manyhands.process.stop import stop_child
from manyhands.station.threads import in_thread

__all__ = ["ENOUGH", "Ports", "disk_use", "keep_commands", "open_files", "tell"]
TELL_SECONDS = 30.0


class Ports:
    """Found again and again, and closely only where something may have changed."""

    def __init__(self) -> None:
        self.find = in_thread(Listeners().find)


def keep_commands(home: Home, redactor: Redactor) -> None:
    """From now on, in the home's own log."""
    command_log.keep_in(home.command_log, redactor, owned=True)


async def tell(command: Sequence[str], words: bytes) -> str:
    """A command of the user's own is told something on its standard input; the problem, or ""."""
    try:
        child = await spawn(command, cwd=Path.home(), env=child_environment(), tethered=True)
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror}"
    try:
        async with asyncio.timeout(TELL_SECONDS):
            await child.write(words)
            child.close_input()
            while await child.output.chunk() is not None:
                pass
            code = await child.wait()
    except TimeoutError:
        return f"{command[0]} did not end within {TELL_SECONDS:g} seconds"
    except OSError:
        code = await child.wait()  # it did not want to read
    finally:
        await stop_child(child)
    return f"{command[0]} ended with exit code {code}" if code else ""


def disk_use(place: Path, seconds: float = math.inf) -> tuple[int, bool]:
    """Bytes on disk of everything below, as far as the time goes; whether that is all. Blocks."""
    deadline, total = monotonic() + seconds, 0
    for folder, folders, files in os.walk(place):
        for name in (*folders, *files):
            with contextlib.suppress(OSError):
                total += os.lstat(f"{folder}/{name}").st_blocks * 512
        if monotonic() > deadline:
            return total, False
    return total, True
