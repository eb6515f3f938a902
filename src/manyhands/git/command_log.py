"""Every git command that was run: the newest in memory, the rest in a bounded file of the home.

All processes of a home append to the one file, a line at a time. Only its owner, the hub, moves
a full one aside, so that two never do so at once.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import deque
from collections.abc import Iterable
from pathlib import Path

import msgspec

from manyhands.model.redaction import Redactor
from manyhands.model.repo.git import Trace

IN_MEMORY = 500
MOST_BYTES = 4 * 1024 * 1024
MOST_ARGUMENTS = 60
LONGEST_ARGUMENT = 1000
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_HEADER = re.compile(r"(?i)(extraheader=).*", re.DOTALL)


class CommandLog:
    def __init__(self) -> None:
        self.recent: deque[Trace] = deque(maxlen=IN_MEMORY)
        self._file: Path | None = None
        self._owned = False
        self.redactor = Redactor()

    def keep_in(self, file: Path, redactor: Redactor, *, owned: bool = False) -> None:
        """From now on every command is written there too, without what the redactor knows."""
        self._file, self.redactor, self._owned = file, redactor, owned

    def append(self, trace: Trace) -> None:
        trace = msgspec.structs.replace(trace, argv=_bounded(trace.argv))
        self.recent.append(trace)
        # A full disk must not fail a git command that went well.
        with contextlib.suppress(OSError):
            self._write(msgspec.json.encode(trace) + b"\n")

    def load(self, limit: int) -> list[Trace]:
        """The newest first, whichever process of the home ran them."""
        if self._file is None:
            return list(self.recent)[: -limit - 1 : -1]
        found: list[Trace] = []
        for file in (self._file, _aside(self._file)):
            with contextlib.suppress(FileNotFoundError):
                found += _decoded(reversed(file.read_bytes().splitlines()), limit - len(found))
        # Written down at their ends, told by their beginnings.
        return sorted(found, key=lambda trace: trace.at, reverse=True)

    def _write(self, line: bytes) -> None:
        if self._file is None:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = os.open(self._file, flags, 0o600)
        try:
            os.write(descriptor, line)
            size = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
        if self._owned and size > MOST_BYTES:
            self._file.replace(_aside(self._file))


def shown(argv: Iterable[str | bytes | Path]) -> tuple[str, ...]:
    """The arguments for a reader, without credentials."""
    texts = (os.fsencode(part).decode("utf-8", "backslashreplace") for part in argv)
    plain = (_HEADER.sub(r"\1…", _USER_INFO.sub("…", text)) for text in texts)
    return tuple(map(command_log.redactor.text, plain))


def _bounded(argv: tuple[str, ...]) -> tuple[str, ...]:
    more = (f"… and {len(argv) - MOST_ARGUMENTS} more",) if len(argv) > MOST_ARGUMENTS else ()
    kept = argv[:MOST_ARGUMENTS]
    return (*(p if len(p) <= LONGEST_ARGUMENT else f"{p[:LONGEST_ARGUMENT]}…" for p in kept), *more)


def _aside(file: Path) -> Path:
    return file.with_name(f"{file.name}.1")


def _decoded(lines: Iterable[bytes], most: int) -> list[Trace]:
    """A line that was cut off by a full disk is passed over."""
    found: list[Trace] = []
    for line in lines:
        if len(found) >= most:
            break
        with contextlib.suppress(msgspec.DecodeError):
            found.append(msgspec.json.decode(line, type=Trace))
    return found


command_log = CommandLog()
