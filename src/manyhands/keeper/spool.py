"""The durable outbox: numbered records in an append-only file until the hub has them.

A file holds a header (magic, the number before its first record) and records of length,
checksum and body. A record is written by one call, so a killed writer leaves at most a torn
tail, which readers pass over. Numbers start at 1 and never change; acknowledged records are
dropped from the front by replacing the file. What a full disk refuses waits in memory.
"""

from __future__ import annotations

import logging
import struct
import zlib
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

log = logging.getLogger(__name__)

_HEADER = struct.Struct(">8sQ")
_RECORD = struct.Struct(">II")
_MAGIC = b"MHSPOOL1"
COMPACT_BYTES = 4 * 1024 * 1024
MARK_BYTES = 64 * 1024
HELD_BYTES = 64 * 1024 * 1024


class SpoolFull(OSError):
    """The disk refuses, and memory holds as much as it may."""


def spool_path(directory: str | Path, epoch: int) -> Path:
    return Path(directory) / f"{epoch}.spool"


def read_spool(path: Path) -> list[tuple[int, bytes]]:
    """Every whole record of a spool, with its number; empty where there is no such file."""
    try:
        with path.open("rb") as file:
            base = _read_base(file)
            return list(enumerate(_bodies(file), base + 1))
    except FileNotFoundError:
        return []


class Spool:
    """One keeper's outbox; `base` is the number before the first record still in the file."""

    def __init__(self, path: Path, *, compact_bytes: int = COMPACT_BYTES) -> None:
        self.path = path
        self._compact_bytes = compact_bytes
        self._held: deque[bytes] = deque()
        self._held_bytes = 0
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists() or path.stat().st_size < _HEADER.size:
            _write_new(path, 0, b"")
        self._open()
        self.acked = self.base

    def _open(self) -> None:
        # Unbuffered, and "a": every write is one call and goes to the end.
        self._file = self.path.open("ab", buffering=0)
        self._reader = self.path.open("rb")
        self.base = self._written = _read_base(self._reader)
        self._size = _HEADER.size
        self._marks = [(self.base, self._size)]
        for body in _bodies(self._reader):
            self._count(body)
        self._file.truncate(self._size)
        self._cursor = self._marks[0]

    def close(self) -> None:
        self.flush()
        self._file.close()
        self._reader.close()

    @property
    def last(self) -> int:
        return self._written + len(self._held)

    @property
    def waiting(self) -> int:
        """Bytes that the hub does not have yet, roughly."""
        return self._size - self._place_before(self.acked)[1]

    def append(self, body: bytes) -> int:
        """Keep `body` and return its number; from here on a kill of this process loses it only
        where the disk refused it: then it waits in memory for the next append or flush."""
        if self._held_bytes + len(body) > HELD_BYTES:
            raise SpoolFull(f"{self.path} takes nothing, and {self._held_bytes} bytes wait for it")
        self._held.append(body)
        self._held_bytes += len(body)
        self.flush()
        return self.last

    def flush(self) -> bool:
        """Write what is held in memory; False where the disk still refuses."""
        while self._held:
            body = self._held[0]
            if not self._write(_RECORD.pack(len(body), zlib.crc32(body)) + body):
                return False
            self._held.popleft()
            self._held_bytes -= len(body)
            self._count(body)
        return True

    def _write(self, record: bytes) -> bool:
        try:
            if self._file.write(record) == len(record):
                return True
            problem = "the disk took only a part"
        except OSError as error:
            problem = str(error)
        self._file.truncate(self._size)
        log.error("%s: a record of %d bytes waits in memory: %s", self.path, len(record), problem)
        return False

    def _count(self, body: bytes) -> None:
        self._written += 1
        self._size += _RECORD.size + len(body)
        if self._size - self._marks[-1][1] >= MARK_BYTES:
            self._marks.append((self._written, self._size))

    def after(self, n: int, *, limit: int = 1024 * 1024) -> list[bytes]:
        """The records that follow number `n`: as many as fit into `limit` bytes, at least one."""
        n = max(n, self.base)
        found: list[bytes] = []
        size = 0
        for body in self._all_after(n):
            size += len(body)
            if found and size > limit:
                break
            found.append(body)
        return found

    def _all_after(self, n: int) -> Iterator[bytes]:
        if n < self._written:
            number, offset = self._place_before(n)
            self._reader.seek(offset)
            for body in _bodies(self._reader):
                number += 1
                offset += _RECORD.size + len(body)
                if number > n:
                    self._cursor = (number, offset)
                    yield body
        yield from islice(self._held, max(0, n - self._written), None)

    def _place_before(self, n: int) -> tuple[int, int]:
        """The nearest known (number, offset) at or before `n`; a reader in order is found again."""
        mark = self._marks[bisect_right(self._marks, n, key=lambda mark: mark[0]) - 1]
        return max(mark, self._cursor) if self._cursor[0] <= n else mark

    def ack(self, n: int) -> None:
        """The hub has everything up to `n`; room is made once that is worth a new file."""
        self.acked = max(self.acked, min(n, self._written))
        number, offset = self._place_before(self.acked)
        dropped = offset - _HEADER.size
        if dropped >= self._compact_bytes and dropped >= self._size - offset:
            self._drop_before(number, offset)

    def _drop_before(self, number: int, offset: int) -> None:
        self._reader.seek(offset)
        try:
            _write_new(self.path, number, self._reader.read())
        except OSError as error:
            log.error("%s keeps its acknowledged records: %s", self.path, error)
            return
        self._file.close()
        self._reader.close()
        self._open()


def _write_new(path: Path, base: int, records: bytes) -> None:
    """Put a file with these records in the place of `path`, whole or not at all."""
    fresh = path.with_suffix(".new")
    fresh.touch(mode=0o600)
    fresh.write_bytes(_HEADER.pack(_MAGIC, base) + records)
    fresh.replace(path)


def _read_base(file: BinaryIO) -> int:
    head = file.read(_HEADER.size)
    if len(head) < _HEADER.size:
        return 0
    magic, base = _HEADER.unpack(head)
    if magic != _MAGIC:
        raise ValueError(f"{file.name} is no spool")
    return int(base)


def _bodies(file: BinaryIO) -> Iterator[bytes]:
    """Whole records from here to the end, or to the first that is torn."""
    while len(head := file.read(_RECORD.size)) == _RECORD.size:
        size, checksum = _RECORD.unpack(head)
        body = file.read(size)
        if len(body) < size or zlib.crc32(body) != checksum:
            return
        yield body
