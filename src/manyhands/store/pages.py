"""A damaged SQLite file read page by page, past its trees: what lies on a whole page is found even
where no page above it, and no header, can be read.

Of the write-ahead log every frame counts up to its last commit, and what lies behind it of the
time before it was begun anew. Its checksums form a chain, but a frame can be checked by the sum
that is stored in the one before, so one damaged frame costs only itself; SQLite would drop all that
follow it.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

WAL_HEADER, FRAME_HEADER = 32, 24
FIRST_PAGE_HEADER = 100
LEAF_TABLE, LEAF_INDEX = 0x0D, 0x0A
USUAL_PAGE = 4096
MOST_OVERFLOW = 16 * 1024
"""Pages of one record; a damaged chain may run in a circle."""

Value = int | str | bytes | None


class RawRow(NamedTuple):
    """A row: of a table with its number, of an index or a table without numbers with 0."""

    number: int
    values: tuple[Value, ...]


class Found(NamedTuple):
    """What is on one page."""

    records: list[RawRow]
    proven: bool
    """By a checksum, which only the log has."""


class NoRecord(Exception):
    """Not a record, or no longer a whole one."""


class Frame(NamedTuple):
    page: int
    start: int
    """Where its page's content begins in the log."""
    whole: bool
    old: bool
    """Of an earlier generation, which was in the file before this one was begun."""


def wal_frames(wal: bytes, size: int) -> list[Frame]:
    """The log's frames, of its present generation up to the last commit."""
    if len(wal) < WAL_HEADER + FRAME_HEADER + size:
        return []
    magic, _, _, _, *salt, one, two = struct.unpack_from(">8I", wal)
    order = ">" if magic & 1 else "<"
    sums, found, last = (one, two), list[Frame](), 0
    if not is_wal_header_whole(wal):  # then its first frame knows which generation it is
        salt = list(struct.unpack_from(">2I", wal, WAL_HEADER + 8))
    for start in range(WAL_HEADER, len(wal) - FRAME_HEADER - size + 1, FRAME_HEADER + size):
        page, pages, *its_salt, one, two = struct.unpack_from(">6I", wal, start)
        content, old = start + FRAME_HEADER, its_salt != salt
        made = _checksum(wal[start : start + 8] + wal[content : content + size], sums, order)
        found.append(Frame(page, content, made == (one, two), old))
        last = len(found) if pages and not old else last
        sums = one, two
    return [frame for n, frame in enumerate(found) if frame.old or n < last]


def is_wal_header_whole(wal: bytes) -> bool:
    magic = int.from_bytes(wal[:4], "big")
    sums = struct.unpack_from(">2I", wal, 24)
    return _checksum(wal[:24], (0, 0), ">" if magic & 1 else "<") == sums


def _checksum(data: bytes, before: tuple[int, int], order: str) -> tuple[int, int]:
    one, two = before
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


class Pages:
    """All versions of all pages; `current` is what a whole file would hold."""

    def __init__(self, store: Path) -> None:
        self._file = _mapped(store)
        beside = store.with_name(f"{store.name}-wal")
        wal = beside.read_bytes() if beside.exists() else b""
        self.size = _page_size(self._file, wal)
        self._wal = wal
        self._frames = [frame for frame in wal_frames(wal, self.size) if frame.whole]
        self._newest = {frame.page: frame for frame in self._frames if not frame.old}

    def current(self, number: int) -> bytes:
        if (frame := self._newest.get(number)) is not None:
            return self._wal[frame.start : frame.start + self.size]
        return self._file[(number - 1) * self.size : number * self.size]

    def records(self, kind: int) -> Iterator[Found]:
        """Of every leaf page of that kind, the newest version of it last."""
        yield from self._in_log(kind, old=True)
        for start in range(0, len(self._file) - self.size + 1, self.size):
            content = self._file[start : start + self.size]
            yield Found(self._on_page(content, kind, first=start == 0), proven=False)
        yield from self._in_log(kind, old=False)

    def _in_log(self, kind: int, *, old: bool) -> Iterator[Found]:
        for frame in self._frames:
            if frame.old == old:
                content = self._wal[frame.start : frame.start + self.size]
                yield Found(self._on_page(content, kind, first=frame.page == 1), proven=True)

    def _on_page(self, page: bytes, kind: int, *, first: bool) -> list[RawRow]:
        head = FIRST_PAGE_HEADER if first else 0
        if page[head] != kind:
            return []
        count = int.from_bytes(page[head + 3 : head + 5], "big")
        found = []
        for at in range(head + 8, min(head + 8 + 2 * count, self.size - 1), 2):
            try:
                cell = int.from_bytes(page[at : at + 2], "big")
                found.append(self._record(page, cell, kind))
            except (NoRecord, IndexError, ValueError, struct.error):
                continue
        return found

    def _record(self, page: bytes, at: int, kind: int) -> RawRow:
        length, at = _varint(page, at)
        number = 0
        if kind == LEAF_TABLE:
            number, at = _varint(page, at)
        return RawRow(number, _values(self._payload(page, at, length, kind)))

    def _payload(self, page: bytes, at: int, length: int, kind: int) -> bytes:
        most = self.size - 35 if kind == LEAF_TABLE else (self.size - 12) * 64 // 255 - 23
        if length <= most:
            return _slice(page, at, length)
        least = (self.size - 12) * 32 // 255 - 23
        local = least + (length - least) % (self.size - 4)
        local = local if local <= most else least
        parts = [_slice(page, at, local)]
        following = int.from_bytes(_slice(page, at + local, 4), "big")
        left = length - local
        for _ in range(MOST_OVERFLOW):
            if left <= 0:
                return b"".join(parts)
            content = self.current(following) if following else b""
            parts.append(_slice(content, 4, min(left, self.size - 4)))
            left -= self.size - 4
            following = int.from_bytes(content[:4], "big")
        raise NoRecord


def _mapped(path: Path) -> bytes | mmap.mmap:
    if not path.exists() or path.stat().st_size == 0:
        return b""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _page_size(file: bytes | mmap.mmap, wal: bytes) -> int:
    """As either of the headers says, where that can be."""
    said = [int.from_bytes(wal[8:12], "big"), int.from_bytes(file[16:18], "big")]
    fitting = (n for n in said if 512 <= n <= 32768 and n & (n - 1) == 0)
    return next(fitting, USUAL_PAGE)


def _slice(data: bytes, at: int, length: int) -> bytes:
    part = data[at : at + length]
    if len(part) < length:
        raise NoRecord
    return part


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(8):
        byte = data[at + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    return value << 8 | data[at + 8], at + 9


def _values(payload: bytes) -> tuple[Value, ...]:
    header, at = _varint(payload, 0)
    kinds = []
    while at < header:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values = []
    for kind in kinds:
        length = _length(kind)
        values.append(_value(kind, _slice(payload, at, length)))
        at += length
    if at != len(payload):
        raise NoRecord
    return tuple(values)


def _length(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    return (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)[kind]


def _value(kind: int, data: bytes) -> Value:
    if kind >= 12:
        return data.decode() if kind & 1 else data
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(data, "big", signed=True) if kind else None
