"""What a terminal's program wrote: a drawing of how it began, and all bytes since, bounded.

Offsets count every byte that was ever written. Before the bytes would overflow, what they draw is
to become the new beginning (`Recording`, `begin_at`). A flood is faster than any emulator: then its
oldest bytes are let go, and of what they said only the modes stay, since the rest scrolls away.
"""

from __future__ import annotations

import re
from collections import deque

import msgspec

MOST_BYTES = 2 * 1024 * 1024
FULL_BYTES = MOST_BYTES // 2
"""From here on a new beginning is wanted."""
DROPPED_AT_ONCE = 256 * 1024
MOST_SIZES = 200
MOST_MODES = 200
_MODE = re.compile(rb"\x1b\[\?([0-9;]{1,40})([hl])")
_RESET = b"\x18\x1b[0m\x1b[r"
"""Out of whatever sequence was cut, and nothing left of its colours and margins."""


class SizedBytes(msgspec.Struct, frozen=True):
    """Bytes that were written while the terminal had this size."""

    rows: int
    columns: int
    data: bytes


class Recording(msgspec.Struct, frozen=True):
    """All that is needed to draw the screen as it is at `offset`."""

    offset: int
    parts: tuple[SizedBytes, ...]


class ScreenDrawing(msgspec.Struct, frozen=True):
    data: bytes
    rest: int = 0
    """So many bytes before the recording's offset are still to be told."""
    title: str = ""
    exact: bool = True


class TerminalHistory:
    def __init__(self, rows: int, columns: int) -> None:
        self.start = 0
        self._bytes = bytearray()
        self._beginning = SizedBytes(rows, columns, b"")
        self._sizes: deque[tuple[int, int, int]] = deque(maxlen=MOST_SIZES)
        """From which offset on it had which size."""
        self._lost: dict[bytes, bytes] = {}
        """Modes set or reset in what was let go since the beginning was drawn."""
        self._has_lost = False

    @property
    def end(self) -> int:
        return self.start + len(self._bytes)

    @property
    def is_full(self) -> bool:
        return len(self._bytes) >= FULL_BYTES

    def add(self, data: bytes) -> None:
        self._bytes += data
        if len(self._bytes) > MOST_BYTES:
            self._let_go(DROPPED_AT_ONCE)

    def resized(self, rows: int, columns: int) -> None:
        self._sizes.append((self.end, rows, columns))

    def since(self, offset: int, most: int) -> bytes:
        at = offset - self.start
        return bytes(self._bytes[at : at + most])

    def recording(self) -> Recording:
        parts = [self._beginning]
        if self._has_lost:
            parts.append(msgspec.structs.replace(self._beginning, data=self.lost))
        rows, columns, at = self._beginning.rows, self._beginning.columns, self.start
        for offset, *size in (*self._sizes, (self.end, 0, 0)):
            parts.append(
                SizedBytes(rows, columns, self.since(at, offset - at) if offset > at else b"")
            )
            at = max(at, offset)
            rows, columns = size
        last = self._sizes[-1][1:] if self._sizes else (parts[0].rows, parts[0].columns)
        return Recording(self.end, (*parts, SizedBytes(*last, b"")))

    @property
    def lost(self) -> bytes:
        """What brings a viewer who missed something into the right modes."""
        modes = (b"\x1b[?" + mode + way for mode, way in self._lost.items())
        return _RESET + b"".join(modes) if self._has_lost else b""

    def begin_at(self, offset: int, rows: int, columns: int, drawing: bytes) -> None:
        """From here on this drawing, of this size, stands for all before the offset."""
        if offset > self.end:
            return
        self._beginning = SizedBytes(rows, columns, drawing)
        if offset >= self.start:
            del self._bytes[: offset - self.start]
            self.start = offset
            self._lost, self._has_lost = {}, False
        while self._sizes and self._sizes[0][0] <= self.start:
            self._sizes.popleft()

    def _let_go(self, size: int) -> None:
        """Up to the end of a line, so that no sequence or character is cut, if one is near."""
        end = self._bytes.find(b"\n", size, size + 4096) + 1 or size
        self._has_lost = True
        for found in _MODE.finditer(self._bytes, 0, end):
            for mode in found[1].split(b";"):
                self._lost.pop(mode, None)
                if len(self._lost) < MOST_MODES:
                    self._lost[mode] = found[2]
        del self._bytes[:end]
        self.start += end
        while self._sizes and self._sizes[0][0] <= self.start:
            _, rows, columns = self._sizes.popleft()
            self._beginning = msgspec.structs.replace(self._beginning, rows=rows, columns=columns)
