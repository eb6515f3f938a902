"""Which lines of two versions are in each other's way, or merely changed in one file."""

from __future__ import annotations

import functools

import msgspec
import pygit2

Span = tuple[int, int]
"""First and last line, counted from one; the last before the first where lines were taken out."""
MOST = 50
LARGEST = 1 << 20


class Lines(msgspec.Struct, frozen=True):
    a: tuple[Span, ...] = ()
    b: tuple[Span, ...] = ()


@functools.lru_cache(maxsize=512)
def clashing_lines(base: bytes, one: bytes, other: bytes, *, near: bool) -> Lines:
    """Changed lines in both versions; with `near`, only those that touch each other."""
    if max(len(base), len(one), len(other)) > LARGEST:
        return Lines()
    first, second = _hunks(base, one), _hunks(base, other)
    if near:
        first, second = (
            [h for h in first if any(_touch(h, o) for o in second)],
            [h for h in second if any(_touch(h, o) for o in first)],
        )
    return Lines(tuple(map(_span, first))[:MOST], tuple(map(_span, second))[:MOST])


def _hunks(old: bytes, new: bytes) -> list[pygit2.DiffHunk]:
    drawn = pygit2.Patch.create_from(old, new, context_lines=0)
    return [] if drawn.delta.is_binary else list(drawn.hunks)


def _touch(one: pygit2.DiffHunk, other: pygit2.DiffHunk) -> bool:
    """Whether they change the same lines of the base, or lines next to each other."""
    return one.old_start <= _end(other) and other.old_start <= _end(one)


def _end(hunk: pygit2.DiffHunk) -> int:
    return int(hunk.old_start + hunk.old_lines)


def _span(hunk: pygit2.DiffHunk) -> Span:
    return (hunk.new_start, hunk.new_start + hunk.new_lines - 1)
