"""Files that were just checked out are dated back, so that git need not read them again.

A file of the same second as the index could have changed since without a trace, so every `status`
and `add` reads it. After a checkout that is true of all files of its last second, until something
writes the index in a later one. In a box it costs far more: there `git add` also writes each of
them, as it cannot touch the object that it borrows.

A file that is older than its index by whole seconds is known, and whatever changes it later shows
by its time. Only for a worktree in which nobody else works yet.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

from manyhands.git.replacing import replace_file

SECOND = 10**9
EARLIER_SECONDS = 2
_HEAD = struct.Struct(">4sII")
_TIMES = struct.Struct(">IIII")
_STAT = struct.Struct(">IIIIIIIIII20sH")
"""Both times by seconds and nanoseconds, device, inode, mode, owner, group, size, object, flags."""
_EXTENDED, _LONGEST = 0x4000, 0xFFF
_HASH = hashlib.sha1().digest_size


def date_back(worktree: Path, index: Path) -> None:
    """Harmless where it breaks off: what the index does not know is read again."""
    data = bytearray(index.read_bytes())
    second = index.stat().st_mtime_ns // SECOND
    top = os.open(worktree, os.O_RDONLY | os.O_DIRECTORY)
    try:
        dated = [_date(data, at, top, path, second) for at, path in _files(data) if path]
    finally:
        os.close(top)
    if any(dated):
        if any(data[-_HASH:]):  # it may go without
            data[-_HASH:] = hashlib.sha1(data[:-_HASH]).digest()
        replace_file(index, bytes(data))


def _date(data: bytearray, at: int, top: int, path: bytes, second: int) -> bool:
    """Whether a file was dated back, and its entry says so."""
    _, _, seconds, nanoseconds, *_, size, _, _ = _STAT.unpack_from(data, at)
    if seconds < second:
        return False
    try:
        found = os.lstat(path, dir_fd=top)
        is_known = found.st_mtime_ns == seconds * SECOND + nanoseconds and found.st_size == size
        if not is_known or not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
            return False
        then = (second - EARLIER_SECONDS) * SECOND
        os.utime(path, ns=(then, then), dir_fd=top, follow_symlinks=False)
        changed = os.lstat(path, dir_fd=top).st_ctime_ns
    except OSError:
        return False
    _TIMES.pack_into(data, at, *divmod(changed, SECOND), *divmod(then, SECOND))
    return True


def _files(data: bytes | bytearray) -> Iterator[tuple[int, bytes]]:
    """Where each entry is, and its path; nothing of an index in a form that is not known here."""
    signature, version, count = _HEAD.unpack_from(data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        return
    at, path = _HEAD.size, b""
    for _ in range(count):
        flags: int = _STAT.unpack_from(data, at)[-1]
        name = at + _STAT.size + (2 if flags & _EXTENDED else 0)
        if version == 4:
            cut, name = _varint(data, name)
            end = data.index(0, name)
            path = path[: len(path) - cut] + bytes(data[name:end])
            following = end + 1
        else:
            length = flags & _LONGEST
            end = data.index(0, name) if length == _LONGEST else name + length
            path = bytes(data[name:end])
            following = at + ((end - at) // 8 + 1) * 8
        yield at, path
        at = following


def _varint(data: bytes | bytearray, at: int) -> tuple[int, int]:
    """A number of as many bytes as it needs, and where it ends."""
    byte = data[at]
    value = byte & 127
    while byte & 128:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) + (byte & 127)
    return value, at + 1
