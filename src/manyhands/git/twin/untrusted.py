"""Reading a directory that somebody else owns, who may put anything there at any time.

No link is followed, at no step of a path; nothing but regular files is read, and of those only so
many bytes. Opening never waits, as it would for a pipe that nobody writes to.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import GitFailed, ManyhandsError, TwinBroken
from manyhands.git.repository import Mark

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
DEEPEST, MOST_ENTRIES = 30, 50_000


@dataclass(frozen=True)
class Untrusted:
    top: Path
    descriptor: int

    def read(self, name: str, most: int) -> bytes | None:
        """None where there is no such file."""
        if not self.exists(name):
            return None
        return b"".join(self.parts(name, most))

    def parts(self, name: str, most: int) -> Iterator[bytes]:
        """A file's content, piece by piece."""
        with self._opened(name) as found:
            if found is None:
                return
            about = os.fstat(found)
            if not stat.S_ISREG(about.st_mode):
                raise self._broken(name, "is not a file")
            if about.st_size > most:
                raise self._broken(name, f"has {about.st_size} bytes")
            while most >= 0 and (part := os.read(found, min(most + 1, 1 << 20))):
                most -= len(part)
                if most >= 0:
                    yield part
            if most < 0:
                raise self._broken(name, "grows while it is read")

    def mark(self, name: str) -> Mark:
        """By what it is known to be the same; whatever it is."""
        with self._folder(name) as (folder, last):
            if folder is not None:
                with suppress(FileNotFoundError):
                    return _mark(os.stat(last, dir_fd=folder, follow_symlinks=False))
        return (0, 0, 0, 0)

    def exists(self, name: str) -> bool:
        return self.mark(name) != (0, 0, 0, 0)

    def walk(self, name: str) -> Iterator[tuple[str, Mark, bool]]:
        """Everything below, with its path and whether it is a folder."""
        left = MOST_ENTRIES
        pending = [(name, 0)]
        while pending:
            folder, depth = pending.pop()
            for path, mark, is_folder in self._list(folder):
                left -= 1
                if left < 0 or depth > DEEPEST:
                    raise self._broken(name, "has more in it than can be looked at")
                yield path, mark, is_folder
                if is_folder:
                    pending.append((path, depth + 1))

    def _list(self, name: str) -> list[tuple[str, Mark, bool]]:
        with self._opened(name, os.O_DIRECTORY) as folder:
            if folder is None:
                return []
            found = []
            with os.scandir(folder) as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):
                        about = entry.stat(follow_symlinks=False)
                        is_folder = stat.S_ISDIR(about.st_mode)
                        if not is_folder and not stat.S_ISREG(about.st_mode):
                            raise self._broken(f"{name}/{entry.name}", "is not a file")
                        found.append((f"{name}/{entry.name}", _mark(about), is_folder))
                    if len(found) > MOST_ENTRIES:
                        raise self._broken(name, "has more in it than can be looked at")
            return found

    @contextmanager
    def _opened(self, name: str, more: int = 0) -> Iterator[int | None]:
        with self._folder(name) as (folder, last):
            descriptor = None if folder is None else self._open(last, folder, more, name)
            try:
                yield descriptor
            finally:
                if descriptor is not None:
                    os.close(descriptor)

    @contextmanager
    def _folder(self, name: str) -> Iterator[tuple[int | None, str]]:
        """The folder that the path's last part is in."""
        *parts, last = name.split("/")
        at: int | None = os.dup(self.descriptor)
        try:
            for part in parts:
                assert at is not None
                inner = self._open(part, at, os.O_DIRECTORY, name)
                os.close(at)
                at = inner
                if at is None:
                    break
            yield at, last
        finally:
            if at is not None:
                os.close(at)

    def _open(self, part: str, folder: int, more: int, name: str) -> int | None:
        try:
            return os.open(part, _FLAGS | more, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._broken(name, error.strerror or "cannot be read") from error

    def _broken(self, name: str, why: str) -> TwinBroken:
        shown = os.fsencode(name).decode("utf-8", "backslashreplace")
        return broken(self.top, f"{shown} {why}")


def broken(twin: Path, why: str) -> TwinBroken:
    return TwinBroken(
        f"the session's private git directory {twin} cannot be used: {why}",
        hint="what came over is here; a new one can be made from it, and the old one is kept",
    )


_ITS_WORDS = ("fatal:", "error:", "remote:")
_AFTER_ANYTHING = ("Could not read from remote", "remote end hung up", "early EOF")


def understood(twin: Path, what: str, error: GitFailed) -> ManyhandsError:
    """Whose fault it is that git there failed: what is there, or that git could not be run."""
    said = [line for line in error.stderr.splitlines() if line.startswith(_ITS_WORDS)]
    told = [line for line in said if not any(words in line for words in _AFTER_ANYTHING)]
    return broken(twin, f"{what}: {told[0]}") if told else error


def _mark(about: os.stat_result) -> Mark:
    return (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)


@contextmanager
def opened(top: Path) -> Iterator[Untrusted]:
    try:
        descriptor = os.open(top, _FLAGS | os.O_DIRECTORY)
    except OSError as error:
        raise broken(top, error.strerror or "it is gone") from error
    try:
        yield Untrusted(top, descriptor)
    finally:
        os.close(descriptor)
