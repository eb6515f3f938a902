"""A row of the table: one kind of secret, and how it is found in time linear in the text.

A text is looked at only if it shows a sign of one, by RE2, and a pattern tried only where one of
its anchors stands. It either ends with its one unbounded run, or that run cannot hold the anchor,
or it is possessive and begins at a border: no two tries read the same text again and again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec
import re2

BORDER = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
"""Where a word begins, also after a line break that is written as an escape."""
SEPARATOR = "·"


class Span(NamedTuple):
    start: int
    end: int
    kind: str


def _holds(match: re.Match[str]) -> bool:
    return True


class Row(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    anchors: tuple[str, ...]
    """Every match begins with one of them."""
    pattern: re.Pattern[str]
    """The secret is its group of that name, or all of it."""
    why: str
    """What whoever has it can do."""
    example: str
    """Nobody's; a dot in the middle keeps it from being taken for one here."""
    signs: tuple[str, ...] = ()
    """What every text with one matches, in RE2's words, where its anchors alone say too little."""
    any_case: bool = False
    """Its anchors are lower-case, and stand for any."""
    is_one: Callable[[re.Match[str]], bool] = _holds
    """Judges what the pattern alone cannot."""

    @property
    def sample(self) -> str:
        return self.example.replace(SEPARATOR, "")

    @property
    def sign(self) -> str:
        signs = self.signs or map(re.escape, self.anchors)
        return f"(?{'i' if self.any_case else ''}:{'|'.join(signs)})"


def linear(pattern: str) -> re.Pattern[bytes]:
    """By RE2, whose time is linear whatever the text."""
    options = re2.Options()
    options.never_capture = True
    compiled: re.Pattern[bytes] = re2.compile(pattern.encode(), options)
    return compiled


class Table:
    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = tuple(rows)
        self._exact = tuple((a, r) for r in self.rows if not r.any_case for a in r.anchors)
        self._folded = tuple((a, r) for r in self.rows if r.any_case for a in r.anchors)
        self.exact = tuple(dict.fromkeys(a for a, _ in self._exact))
        self._signs = linear("|".join(row.sign for row in self.rows))

    def shows(self, text: bytes) -> bool:
        """Whether there may be a secret in it; quick to say no."""
        return self._signs.search(text) is not None

    def find(self, text: str) -> list[Span]:
        """Every secret in the text; they may overlap."""
        if not self.shows(text.encode("utf-8", "surrogatepass")):
            return []
        folded = fold(text)
        found: list[Span] = []
        for hay, anchors in ((text, self._exact), (folded, self._folded)):
            for anchor, row in anchors:
                at = hay.find(anchor)
                while at >= 0:
                    match = row.pattern.match(text, at)
                    if match and row.is_one(match):
                        start, end = match.span(
                            "secret" if "secret" in row.pattern.groupindex else 0
                        )
                        found.append(Span(start, end, row.kind))
                        at = max(at, match.end() - 1)
                    at = hay.find(anchor, at + 1)
        return found


def fold(text: str) -> str:
    """In lower case, each character where it was."""
    folded = text.lower()
    return folded if len(folded) == len(text) else "".join(c.lower()[0] for c in text)
