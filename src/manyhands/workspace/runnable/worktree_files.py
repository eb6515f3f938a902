"""The files of a working tree as they are now."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from manyhands.git.repository import Mark
from manyhands.model.clock import seconds_since
from manyhands.workspace.runnable.files import (
    HEAD_BYTES,
    MOST_BYTES,
    SHOWN_BYTES,
    UNREAD,
    Content,
    Kind,
    hashed,
    shown_name,
    too_much,
)
from manyhands.workspace.runnable.table import begins_a_row

CHUNK = 1024 * 1024
TICK_SECONDS = 1.0


class WorktreeFiles:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._real = os.path.realpath(root)
        self._left = MOST_BYTES

    def kind(self, path: str) -> Kind | None:
        try:
            mode = os.lstat(self._at(path)).st_mode
        except (OSError, ValueError):
            return None
        if stat.S_ISLNK(mode):
            return "link"
        return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else None

    def target(self, path: str) -> str:
        try:
            return str(Path(self._at(path)).readlink())
        except OSError:
            return ""

    def inside(self, target: str) -> str | None:
        for root in (str(self._root), self._real):
            if target == root or target.startswith(f"{root}/"):
                return target[len(root) + 1 :]
        return None

    def below(self, folder: str) -> Iterator[str]:
        for entry, path in self._entries(folder):
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in UNREAD:
                    yield from self.below(path)
            elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
                yield path

    def candidates(self, folder: str = "") -> Iterator[str]:
        above = f"{folder}/" if folder else ""
        for name, is_folder, is_wanted in self._worth_a_look(folder):
            if not is_folder:
                yield above + name
            else:
                yield from self.below(above + name) if is_wanted else self.candidates(above + name)

    def _worth_a_look(self, folder: str) -> list[tuple[str, bool, bool]]:
        """Each with whether it is a folder, and one that a row begins with: of the thousands that a
        worktree has, all others are passed by as quickly as can be."""
        at_top, found = not folder, []
        try:
            with os.scandir(self._at(folder)) as entries:
                for entry in entries:
                    name = entry.name
                    is_wanted = begins_a_row(name.lower(), at_top)
                    if entry.is_dir(follow_symlinks=False):
                        if name not in UNREAD:
                            found.append((name, True, is_wanted))
                    elif is_wanted:
                        found.append((name, False, True))
        except OSError:
            return []
        return sorted(found)

    def expect(self, paths: Sequence[str]) -> None:
        pass

    def load(self, path: str, name: str) -> Content | None:
        try:
            # Not through a link that has taken the file's place, nor waiting for a pipe's writer.
            number = os.open(self._at(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError as error:
            said = f"cannot be read: {error.strerror}".encode()
            return Content(said, hashed(name, said).hexdigest(), len(said))
        with os.fdopen(number, "rb") as file:
            about = os.fstat(number)
            if not stat.S_ISREG(about.st_mode):
                return None
            self._left -= about.st_size
            if self._left < 0:
                raise too_much(str(self._root))
            head = file.read(HEAD_BYTES)
            if len(head) <= SHOWN_BYTES:
                return Content(head, hashed(name, head).hexdigest(), len(head))
            key = (self._at(path), name, _mark(about))
            digest, size = _remembered.get(key) or _hash_rest(file, name, head)
            if _mark(os.fstat(number)) == key[2] and _rests(about):
                if len(_remembered) >= MOST_REMEMBERED:
                    _remembered.clear()
                _remembered[key] = digest, size
            return Content(head, digest, size)

    def way_to(self, path: str) -> str:
        return shlex.quote(shown_name(self._at(path)))

    def children(self, folder: str) -> list[str]:
        """The files and links in the folder itself."""
        found = self._entries(folder)
        return [path for entry, path in found if not entry.is_dir(follow_symlinks=False)]

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _entries(self, folder: str) -> Iterator[tuple[os.DirEntry[str], str]]:
        try:
            with os.scandir(self._at(folder)) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            return
        for entry in found:
            yield entry, f"{folder}/{entry.name}" if folder else entry.name


MOST_REMEMBERED = 2000
_remembered: dict[tuple[str, str, Mark], tuple[str, int]] = {}
"""Hashes of large files, for as long as each is the same one: by inode, size and both times, of
which one cannot be set back."""


def _mark(about: os.stat_result) -> Mark:
    return (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)


def _rests(about: os.stat_result) -> bool:
    """Two changes within one tick of the file system's clock look like one."""
    return seconds_since(about.st_ctime) > TICK_SECONDS


def _hash_rest(file: IO[bytes], name: str, head: bytes) -> tuple[str, int]:
    total, size = hashed(name, head), len(head)
    while data := file.read(CHUNK):
        total.update(data)
        size += len(data)
    return total.hexdigest(), size
