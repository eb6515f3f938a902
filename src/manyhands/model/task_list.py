"""Tasks from a Markdown file: one for each open item at the top of its lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ITEM = re.compile(r"^(?P<indent> {0,3})(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<text>\S.*)$")
_BOX = re.compile(r"^\[(?P<mark>[ xX])\](?:[ \t]+|$)")
_FENCE = re.compile(r"^\s*(```|~~~)")
_RULE = re.compile(r"^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")

NESTED = 2
"""Spaces from which an item belongs to the one before it."""


@dataclass(frozen=True)
class Task:
    title: str
    text: str
    line: int


def tasks_of(markdown: str) -> list[Task]:
    """The top items that are not ticked off, each with the lines that belong to it."""
    found = []
    for start, lines in _items(markdown):
        box = _BOX.match(lines[0])
        body = "\n".join([lines[0][box.end() if box else 0 :], *lines[1:]]).strip()
        ticked = box is not None and box["mark"] != " "
        if body and not ticked:
            found.append(Task(body.partition("\n")[0].strip(), body, start))
    return found


def _items(markdown: str) -> Iterator[tuple[int, list[str]]]:
    """The number of each top item's first line, and its lines without mark and indent."""
    start, lines, fence = 0, list[str](), ""
    for number, line in _shown(markdown):
        inside, fence = bool(fence), _fence_after(line, fence)
        item = None if inside or _RULE.match(line) else _ITEM.match(line)
        if item and not (lines and len(item["indent"]) >= NESTED):
            if lines:
                yield start, lines
            start, lines = number, [item["text"]]
        elif lines and (inside or not line.strip() or line[0] in " \t"):
            lines.append(line.removeprefix("  "))
        elif lines:
            yield start, lines
            lines = []
    if lines:
        yield start, lines


def _shown(markdown: str) -> Iterator[tuple[int, str]]:
    """The numbered lines, without comments that stand on lines of their own."""
    hidden, fence = False, ""
    for number, line in enumerate(markdown.splitlines(), 1):
        hidden = hidden or (not fence and line.startswith("<!--"))
        if not hidden:
            fence = _fence_after(line, fence)
            yield number, line
        hidden = hidden and "-->" not in line


def _fence_after(line: str, fence: str) -> str:
    """The mark that fenced lines after this one wait for; empty outside of them."""
    mark = _FENCE.match(line)
    if mark is None or (fence and mark[1] != fence):
        return fence
    return "" if fence else mark[1]
