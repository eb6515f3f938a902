"""On which lines two changes of one text meet; pure."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pygit2

from manyhands.model.radar.events import Lines, Span

MOST_SPANS = 50
LARGEST_TEXT = 1 << 20


@functools.lru_cache(maxsize=512)
def clashing_lines(base: bytes, one: bytes, other: bytes, *, near: bool) -> Lines:
    """Changed lines in both versions; with `near`, only those that touch each other."""
    if max(len(base), len(one), len(other)) > LARGEST_TEXT:
        return Lines()
    first, second = hunks(base, one), hunks(base, other)
    if near:
        first, second = (
            [h for h in first if any(touch(h, o) for o in second)],
            [h for h in second if any(touch(h, o) for o in first)],
        )
    return Lines(tuple(map(_span, first))[:MOST_SPANS], tuple(map(_span, second))[:MOST_SPANS])


def hunks(old: bytes, new: bytes) -> list[pygit2.DiffHunk]:
    drawn = pygit2.Patch.create_from(old, new, context_lines=0)
    return [] if drawn.delta.is_binary else list(drawn.hunks)


def touch(one: pygit2.DiffHunk, other: pygit2.DiffHunk) -> bool:
    """Whether they change the same lines of the base, or lines next to each other."""
    return one.old_start <= end(other) and other.old_start <= end(one)


def end(hunk: pygit2.DiffHunk) -> int:
    return int(hunk.old_start + hunk.old_lines)


def _span(hunk: pygit2.DiffHunk) -> Span:
    return (hunk.new_start, hunk.new_start + hunk.new_lines - 1)


def carried(spans: Sequence[Span], old: bytes, new: bytes) -> tuple[Span, ...]:
    """Where lines of the old text are in the new one."""
    if not spans or max(len(old), len(new)) > LARGEST_TEXT:
        return tuple(spans)
    drawn = hunks(old, new)
    return tuple(_carried(span, drawn) for span in spans)


def _carried(span: Span, drawn: Sequence[pygit2.DiffHunk]) -> Span:
    first = carried_line(span[0], drawn)
    return (first, max(first, carried_line(span[1], drawn)) if span[1] >= span[0] else first - 1)


def carried_line(line: int, drawn: Sequence[pygit2.DiffHunk]) -> int:
    """Where the line is after these hunks; of a replaced one, a line of what replaced it."""
    moved = 0
    for hunk in drawn:
        # Where nothing was there, git counts the line before.
        start = hunk.old_start + (hunk.old_lines == 0)
        if line < start:
            break
        if line < start + hunk.old_lines:
            within = min(line - start, max(0, hunk.new_lines - 1))
            return int(max(1, hunk.new_start + within))
        moved += hunk.new_lines - hunk.old_lines
    return line + moved
