"""Drawings of screens, by short-lived processes: what they crash on costs a keeper nothing."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

import msgspec

from manyhands.config import child_environment
from manyhands.keeper.terminal.history import Recording, ScreenDrawing
from manyhands.process.spawn import Child, spawn
from manyhands.process.stop import Patience, stop_child

DRAWER = "manyhands.keeper.terminal.drawing"
SECONDS = 20.0
AT_ONCE = 2
LARGEST = 64 * 1024 * 1024
SHOWN_RAW = 256 * 1024

log = logging.getLogger(__name__)


class Screens:
    def __init__(self) -> None:
        self._free = asyncio.Semaphore(AT_ONCE)

    async def draw(self, recording: Recording, *, patient: bool = False) -> ScreenDrawing:
        """Where there is no emulator for this machine, or it crashed: the last bytes as they are,
        which a program that is asked to draw anew corrects."""
        if not any(part.data for part in recording.parts):
            return ScreenDrawing(b"")
        try:
            async with self._free, asyncio.timeout(SECONDS):
                return await _drawn(recording, patient=patient)
        except (OSError, TimeoutError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("a screen could not be drawn exactly: %s", error)
            raw = b"".join(part.data for part in recording.parts)
            return ScreenDrawing(raw[-SHOWN_RAW:], exact=False)


async def _drawn(recording: Recording, *, patient: bool) -> ScreenDrawing:
    argv = [sys.executable, "-m", DRAWER, *(["--patient"] if patient else [])]
    child = await spawn(argv, cwd=Path("/"), env=child_environment(), limit=LARGEST, tethered=True)
    try:
        await child.write(msgspec.msgpack.encode(recording))
        child.close_input()
        said = await _all_of(child)
        code = await child.wait()
        if code:
            raise ChildProcessError(f"exit {code}: {child.errors.text()[-300:]}")
        return msgspec.msgpack.decode(said, type=ScreenDrawing)
    finally:
        await stop_child(child, patience=Patience(0, 0, 2.0))


async def _all_of(child: Child) -> bytes:
    parts = []
    while (part := await child.output.chunk()) is not None:
        parts.append(part)
    return b"".join(parts)
