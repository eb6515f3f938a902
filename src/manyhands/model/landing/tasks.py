"""Task lists: the items of a Markdown text's lists, each with the lines that belong to it."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOP = 1
"""The level of an item whose list is in no other block."""
_MARK = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_BOX = re.compile(r"^\[(?P<mark>[ xX])\](?:[ \t]+|$)")


@dataclass(frozen=True)
class Task:
    title: str
    text: str
    line: int
    ticked: bool = False


def tasks_of(markdown: str) -> list[Task]:
    """The top items that are not ticked off."""
    return [task for task in all_tasks(markdown) if not task.ticked]


def all_tasks(markdown: str) -> list[Task]:
    """The top items, ticked off or not."""
    from markdown_it import MarkdownIt

    source, found = markdown.splitlines(), []
    for token in MarkdownIt().parse(markdown):
        if token.type != "list_item_open" or token.level != TOP or token.map is None:
            continue
        first, *more = source[slice(*token.map)]
        first = _MARK.sub("", first)
        box = _BOX.match(first)
        lines = [first[box.end() if box else 0 :], *(line.removeprefix("  ") for line in more)]
        body = "\n".join(lines).strip()
        if body:
            ticked = box is not None and box["mark"] != " "
            title = body.partition("\n")[0].strip()
            found.append(Task(title, body, token.map[0] + 1, ticked))
    return found
