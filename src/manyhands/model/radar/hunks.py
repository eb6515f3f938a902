"""The two sides of a conflict, as they are shown beside each other."""

from __future__ import annotations

import msgspec

LONGEST_LINE = 400
"""Characters of a line that are shown."""
Range = tuple[int, int]
"""From, and up to but without."""


class HunkPart(msgspec.Struct, frozen=True):
    """Some lines of one version of a file."""

    start: int = 0
    """The number of the first of them in that version, from one; 0 where the file is not there."""
    lines: tuple[str, ...] = ()
    changed: Range = (0, 0)
    """Which of `lines` are in question; the others are around them."""
    cut: bool = False
    """Whether there are more of them, or a line goes on."""


class ConflictHunk(msgspec.Struct, frozen=True):
    """One place that both sides changed; `base` is how it was."""

    base: HunkPart
    a: HunkPart
    b: HunkPart

    @property
    def turned(self) -> ConflictHunk:
        return ConflictHunk(self.base, self.b, self.a)


class PathHunks(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    reason: str = ""
    """Git's own word for it: content, modify/delete, …"""
    note: str = ""
    """In words, where lines alone do not tell: deleted, renamed, binary, too large, …"""
    hunks: tuple[ConflictHunk, ...] = ()
    more: int = 0
    """Hunks that were left out."""
