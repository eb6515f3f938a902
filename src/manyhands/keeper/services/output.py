"""What a service says: kept in a bounded file without secrets, its last lines in memory."""

from __future__ import annotations

import codecs
import logging
from collections import deque
from pathlib import Path
from typing import BinaryIO

from manyhands.model.redaction import Redacted, Redactor
from manyhands.workspace.service_log import MOST_PIECES, PIECE, load_end, load_pieces, piece_name

log = logging.getLogger(__name__)
LAST_LINES = 20
LONGEST_LINE = 400


class ServiceOutput:
    def __init__(self, folder: Path, redactor: Redactor) -> None:
        self._folder = folder
        self._redactor = redactor
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._clean = Redacted(redactor)
        self._last: deque[str] = deque(maxlen=LAST_LINES)
        self._line = ""
        self._end = 0
        self._begin = 0
        self._file: BinaryIO | None = None

    def begin(self, words: str) -> None:
        """A run begins; `words` say so in the file."""
        self._decoder.reset()
        self._clean = Redacted(self._redactor)
        self._last.clear()
        self._line = ""
        self._keep(f"── {words} ──\n")

    def feed(self, data: bytes) -> None:
        self._say(self._clean.feed(self._decoder.decode(data)))

    def end(self, words: str = "") -> None:
        """The run is over."""
        self._say(self._clean.feed(self._decoder.decode(b"", final=True)) + self._clean.end())
        if words:
            self._keep(f"{chr(10) if self._line else ''}── {words} ──\n")
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def tail(self) -> str:
        lines = [*self._last, *([self._line] if self._line else [])]
        return "\n".join(line[:LONGEST_LINE] for line in lines[-LAST_LINES:])

    def _say(self, text: str) -> None:
        *whole, rest = (self._line + text).split("\n")
        self._last.extend(line for line in whole if line.strip())
        self._line = rest[-LONGEST_LINE:]
        self._keep(text)

    def _keep(self, text: str) -> None:
        """Where the disk takes no more, the service goes on without being heard."""
        data = text.encode("utf-8", "replace")
        try:
            while data:
                file = self._open()
                room = self._begin + PIECE - self._end
                file.write(data[:room])
                file.flush()
                self._end += len(data[:room])
                data = data[room:]
        except OSError as error:
            log.warning("what a service says cannot be kept: %s", error)
            self._file = None

    def _open(self) -> BinaryIO:
        if self._file is not None and self._end < self._begin + PIECE:
            return self._file
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        pieces = load_pieces(self._folder)
        self._end = max(self._end, load_end(self._folder))
        self._begin = pieces[-1][0] if pieces else 0
        if self._end >= self._begin + PIECE:
            self._begin = self._end
        if self._file is not None:
            self._file.close()
        self._file = (self._folder / piece_name(self._begin)).open("ab")
        for _, path in load_pieces(self._folder)[:-MOST_PIECES]:
            path.unlink(missing_ok=True)
        return self._file
