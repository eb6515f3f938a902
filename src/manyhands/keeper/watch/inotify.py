"""Word from Linux that files changed, read on the event loop: while nothing changes, nothing runs.

Each directory has a watch of its own, which stays with it under whatever name it gets. What lay in
a directory before it was watched is told as changed too, so nothing falls between the two.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import fcntl
import os
import struct
import termios
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from manyhands.keeper.watch.notices import EVERYTHING, WatchFailed

GATHER_SECONDS = 0.025
"""What comes within this is told together."""

ATTRIB, MODIFY, CLOSE_WRITE, CREATE, DELETE = 0x4, 0x2, 0x8, 0x100, 0x200
MOVED_FROM, MOVED_TO = 0x40, 0x80
ONLY_DIRECTORIES, NO_LINKS, NOT_UNLINKED = 0x01000000, 0x02000000, 0x04000000
LOST = DELETE | MOVED_FROM
WATCHED = ATTRIB | MODIFY | CLOSE_WRITE | CREATE | DELETE | MOVED_FROM | MOVED_TO
HOW = ONLY_DIRECTORIES | NO_LINKS | NOT_UNLINKED
OVERFLOW, ENDED, IS_DIRECTORY = 0x4000, 0x8000, 0x40000000
UNWATCHABLE = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP)
"""Gone again, or closed to us: neither is ours to tell of."""

_EVENT = struct.Struct("iIII")
_libc = ctypes.CDLL(None, use_errno=True)


class Inotify:
    """Implements `Notices`."""

    def __init__(self, root: Path, left_out: Collection[str]) -> None:
        self._root = root
        self._left_out = frozenset(left_out)
        self._places: dict[int, str] = {}
        self._one_at_a_time = asyncio.Lock()
        self._file = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._file < 0:
            raise _failure()
        try:
            self._watch_below([""])
            if not self._places:
                raise NotADirectoryError(f"{root} is no directory that can be read")
        except OSError:
            self.close()
            raise

    async def next(self) -> set[str]:
        some = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(self._file, some.set)
        try:
            await some.wait()
        finally:
            loop.remove_reader(self._file)
        await asyncio.sleep(GATHER_SECONDS)
        return await self.rest()

    async def rest(self) -> set[str]:
        """The kernel queues a change before the call that makes it returns."""
        async with self._one_at_a_time:
            changed, appeared = self._read()
            if appeared:
                changed |= await asyncio.to_thread(self._watch_below, appeared)
        return changed

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _read(self) -> tuple[set[str], set[str]]:
        """The paths that changed, and those of directories that appeared."""
        changed, appeared = set(), set()
        for watch, what, name in self._events():
            if what & OVERFLOW:
                changed.add(EVERYTHING)
                appeared.add("")
            elif what & ENDED:
                if self._places.pop(watch, None) == "":
                    raise FileNotFoundError(f"{self._root} is gone")
            elif name == ".git" and what & LOST and self._places.get(watch) == "":
                raise FileNotFoundError(f"{self._root / name} is gone")
            elif watch in self._places and name not in ("", ".git"):
                path = self._places[watch] + name
                changed.add(path)
                if what & IS_DIRECTORY and what & MOVED_FROM:
                    self._leave(path)
                elif what & IS_DIRECTORY and what & (CREATE | MOVED_TO):
                    appeared.add(path)
        return changed, appeared

    def _events(self) -> Iterator[tuple[int, int, str]]:
        (size,) = struct.unpack("i", fcntl.ioctl(self._file, termios.FIONREAD, bytes(4)))
        data, at = os.read(self._file, size) if size else b"", 0
        while at < len(data):
            watch, what, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size + length
            yield watch, what, os.fsdecode(data[at - length : at].rstrip(b"\0"))

    def _watch_below(self, directories: Iterable[str]) -> set[str]:
        """Watch these and all below; everything that is in them."""
        found: set[str] = set()
        pending = list(directories)
        while pending:
            place = pending.pop()
            if place in self._left_out or not self._watch(place):
                continue
            for entry in _entries(self._root / place):
                path = f"{place}/{entry.name}" if place else entry.name
                found.add(path)
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)
        return found

    def _watch(self, place: str) -> bool:
        name = os.fsencode(self._root / place)
        watch = _libc.inotify_add_watch(self._file, name, WATCHED | HOW)
        if watch >= 0:
            self._places[watch] = f"{place}/" if place else ""
            return True
        if ctypes.get_errno() in UNWATCHABLE:
            return False
        raise _failure()

    def _leave(self, directory: str) -> None:
        """It was moved away; where it turns up again inside, it is watched anew."""
        below = [w for w, place in self._places.items() if place.startswith(f"{directory}/")]
        for watch in below:
            del self._places[watch]
            _libc.inotify_rm_watch(self._file, watch)


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return [entry for entry in entries if entry.name != ".git"]
    except OSError:
        return []


def _failure() -> WatchFailed:
    problem = os.strerror(ctypes.get_errno())
    return WatchFailed(f"the system has no file watches left ({problem})")
