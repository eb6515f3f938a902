"""Tasks from a Markdown file: one for each item of its lists."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ITEM = re.compile(r"^(?P<indent> {0,3})(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<text>\S.*)$")
_BOX = re.compile(r"^\[(?P<mark>[ xX])\][ \t]+")
_FENCE = re.compile(r"^\s*(```|~~~)")

NESTED = 2
"""Spaces from which an item belongs to the one before it."""


@dataclass(frozen=True)
class Task:
    title: str
    text: str
    line: int


def tasks_of(markdown: str) -> list[Task]:
    """The top items that are not ticked off, each with the lines that belong to it."""
    tasks: list[Task] = []
    lines: list[str] = []
    start, ticked, fenced = 0, False, ""

    def finish() -> None:
        if lines and not ticked:
            body = "\n".join(lines).strip()
            tasks.append(Task(body.partition("\n")[0].strip(), body, start))
        lines.clear()

    for number, line in enumerate(markdown.splitlines(), 1):
        fence = _FENCE.match(line)
        item = None if fenced else _ITEM.match(line)
        if item and lines and len(item["indent"]) >= NESTED:
            item = None
        if fence:
            fenced = "" if fenced else fence[1]
        if item:
            finish()
            box = _BOX.match(item["text"])
            start, ticked = number, bool(box and box["mark"] != " ")
            lines.append(item["text"][box.end() if box else 0 :])
        elif lines and (not line.strip() or line[:1] in " \t" or fenced):
            lines.append(line.removeprefix("  "))
        else:
            finish()
    finish()
    return tasks
