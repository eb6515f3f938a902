"""Drafts where a forge knows them by the title alone."""

from __future__ import annotations

import re

_MARK = re.compile(r"(?i)^\s*(?:\[(?:draft|wip)\]|\(draft\)|(?:draft|wip):)\s*")


def without_mark(title: str) -> str:
    """A title may be marked more than once."""
    while found := _MARK.match(title):
        title = title[found.end() :]
    return title


def is_marked(title: str) -> bool:
    return _MARK.match(title) is not None


def marked(title: str, draft: bool, mark: str) -> str:
    return f"{mark} {without_mark(title)}" if draft else without_mark(title)
