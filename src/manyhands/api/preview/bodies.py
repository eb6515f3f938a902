"""Where a body ends, found while it passes by. Pure; nothing of it is kept."""

from __future__ import annotations

import re
from typing import Literal, Protocol

from manyhands.api.preview.refusal import PreviewRefused

LONGEST_LINE = 4096
MOST_TRAILERS = 8192
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:[ \t]*;[^\r\n\x00]*)?\r\n")
_TRAILER = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\x00]*)?\r\n")


class Body(Protocol):
    @property
    def done(self) -> bool: ...

    def take(self, data: memoryview) -> int:
        """How many of these bytes are its own."""


class Nothing:
    done = True

    def take(self, data: memoryview) -> int:
        return 0


class UntilEnd:
    """It ends with the connection."""

    done = False

    def take(self, data: memoryview) -> int:
        return len(data)


class Sized:
    def __init__(self, left: int) -> None:
        self.left = left

    @property
    def done(self) -> bool:
        return self.left == 0

    def take(self, data: memoryview) -> int:
        taken = min(self.left, len(data))
        self.left -= taken
        return taken


class Chunked:
    """Strictly as it is written down; what others forgive is refused."""

    def __init__(self) -> None:
        self.done = False
        self._left = 0
        self._line = bytearray()
        self._trailers = 0
        self._part: Literal["size", "data", "end", "trailer"] = "size"

    def take(self, data: memoryview) -> int:
        at, size = 0, len(data)
        while at < size and not self.done:
            if self._part == "data":
                step = min(self._left, size - at)
                self._left -= step
                at += step
                if not self._left:
                    self._part = "end"
                continue
            at = self._line_from(data, at)
            if self._line.endswith(b"\n"):
                self._ended(bytes(self._line))
                self._line.clear()
        return at

    def _line_from(self, data: memoryview, at: int) -> int:
        room = LONGEST_LINE - len(self._line)
        piece = bytes(data[at : at + room])
        found = piece.find(b"\n")
        taken = piece if found < 0 else piece[: found + 1]
        self._line += taken
        if found < 0 and len(self._line) >= LONGEST_LINE:
            raise PreviewRefused(400, "a line between chunks is too long")
        return at + len(taken)

    def _ended(self, line: bytes) -> None:
        if self._part == "end":
            if line != b"\r\n":
                raise PreviewRefused(400, "a chunk is longer than it says")
            self._part = "size"
        elif self._part == "size":
            found = _SIZE.fullmatch(line)
            if found is None:
                raise PreviewRefused(400, "the size of a chunk cannot be read")
            self._left = int(found[1], 16)
            self._part = "data" if self._left else "trailer"
        else:
            self._trailers += len(line)
            if self._trailers > MOST_TRAILERS or not _TRAILER.fullmatch(line):
                raise PreviewRefused(400, "what follows the last chunk cannot be read")
            self.done = line == b"\r\n"
