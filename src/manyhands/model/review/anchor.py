"""Where a comment stands, by content: the lines it is about and a few around them.

Line numbers are only where to look first. After an edit the lines are looked for again; the
place with the most of the old surroundings wins, and lines that are nowhere leave the comment
*outdated*. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal

import msgspec

Side = Literal["old", "new"]
CONTEXT = 3


class Anchor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    path: str = ""
    """Empty: the comment is about the change as a whole."""
    side: Side = "new"
    start: int = 0
    """The first line, from 1; 0: the comment is about the whole file."""
    end: int = 0
    lines: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def split_lines(text: str) -> list[str]:
    """Lines as a diff shows them: only a line feed ends one, and a carriage return is no text."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def anchored(path: str, side: Side, lines: Sequence[str], start: int, end: int) -> Anchor:
    """The anchor of lines `start` to `end` of a file."""
    return Anchor(
        path=path,
        side=side,
        start=start,
        end=end,
        lines=tuple(lines[start - 1 : end]),
        before=tuple(lines[max(0, start - 1 - CONTEXT) : start - 1]),
        after=tuple(lines[end : end + CONTEXT]),
    )


def locate(anchor: Anchor, lines: Sequence[str]) -> tuple[int, int] | None:
    """Where the anchored lines are now, as first and last line; None if they are nowhere."""
    if not anchor.lines:
        return (anchor.start, anchor.end)
    found = list(occurrences(anchor.lines, lines))
    if not found:
        return None
    best = max(found, key=lambda at: (_kept(anchor, lines, at), -abs(at + 1 - anchor.start)))
    if not _is_sure(anchor, lines, best, alone=len(found) == 1):
        return None
    return (best + 1, best + len(anchor.lines))


def occurrences(block: Sequence[str], lines: Sequence[str]) -> Iterator[int]:
    """Every index at which the block stands in the lines."""
    wanted = list(block)
    for at in range(len(lines) - len(wanted) + 1):
        if lines[at] == wanted[0] and list(lines[at : at + len(wanted)]) == wanted:
            yield at


def _kept(anchor: Anchor, lines: Sequence[str], at: int) -> int:
    """How many of the lines around the anchor are still next to it."""
    above = zip(reversed(anchor.before), reversed(lines[:at]), strict=False)
    below = zip(anchor.after, lines[at + len(anchor.lines) :], strict=False)
    return _run(above) + _run(below)


def _run(pairs: Iterator[tuple[str, str]]) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _is_sure(anchor: Anchor, lines: Sequence[str], at: int, *, alone: bool) -> bool:
    """A lone brace elsewhere is not the brace that was meant."""
    says_something = any(character.isalnum() for line in anchor.lines for character in line)
    stayed = at + 1 == anchor.start
    return stayed or _kept(anchor, lines, at) > 0 or (alone and says_something)


def surroundings(lines: Sequence[str], start: int, end: int) -> tuple[str, ...]:
    """The hunk around lines `start` to `end`: what must change for a comment to be addressed."""
    return tuple(lines[max(0, start - 1 - CONTEXT) : end + CONTEXT])


def is_changed(hunk: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether the hunk stands nowhere any more; one that only moved did not change."""
    if not hunk:
        return bool(lines)
    return next(occurrences(hunk, lines), None) is None
