"""Putting one file, or lines of it, back to an older content; nothing else is touched.

What is there must be what the person saw: it is compared before the write, and the write
itself replaces the file in one step.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import NotPossible
from manyhands.git.tree_edit import Leaf

LINK, PROGRAM = 0o120000, 0o100755


@dataclass(frozen=True)
class Stretch:
    """`count` lines from `start` on, from 1; with no lines, the place after line `start`."""

    start: int
    count: int

    @property
    def slice(self) -> slice:
        first = self.start - 1 if self.count else self.start
        return slice(first, first + self.count)


def with_lines(content: bytes, where: Stretch, lines: list[bytes]) -> bytes:
    """The content with a stretch of it replaced; the file's own line endings are kept."""
    present = _split(content)
    ending = b"\r\n" if any(line.endswith(b"\r\n") for line in present) else b"\n"
    fitted = [_ended(line, ending) for line in lines]
    if where.slice.stop > len(present):
        raise NotPossible("the file has fewer lines than the change that is to go")
    before, after = present[: where.slice.start], present[where.slice.stop :]
    if before and fitted and not before[-1].endswith(b"\n"):
        before[-1] += ending
    if not after and fitted and lines and not lines[-1].endswith(b"\n"):
        fitted[-1] = fitted[-1].removesuffix(ending)
    return b"".join([*before, *fitted, *after])


def _split(content: bytes) -> list[bytes]:
    """At line feeds only."""
    parts = content.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _ended(line: bytes, ending: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r") + ending


def old_lines(content: bytes, where: Stretch) -> list[bytes]:
    return _split(content)[where.slice]


def write_content(file: Path, content: bytes, mode: int | None = None) -> None:
    """Replace a file in one step; without a mode it keeps the one that it has."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        permissions = file.stat().st_mode & 0o7777
    else:
        permissions = 0o755 if mode == PROGRAM else 0o644
    descriptor, name = tempfile.mkstemp(prefix=".manyhands-", dir=file.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        fresh.chmod(permissions)
        fresh.replace(file)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def put_leaf(file: Path, leaf: Leaf | None, content: bytes) -> None:
    """The file as it was: gone, a link, or a file with its mode."""
    if leaf is None:
        file.unlink(missing_ok=True)
    elif leaf.mode == LINK:
        file.unlink(missing_ok=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(os.fsdecode(content))
    else:
        if file.is_symlink():
            file.unlink()
        write_content(file, content, leaf.mode)
