"""Which of several paths lie in which: by their letters alone, since a box has hundreds of them."""

from __future__ import annotations

import os
from collections.abc import Iterable


def is_in(path: str, *tops: str) -> bool:
    """Whether it is one of these or lies below one."""
    return any(path == top or path.startswith(top if top == "/" else f"{top}/") for top in tops)


def by_depth(paths: Iterable[str]) -> list[str]:
    """Outer ones first, each once, so that an inner one is not covered."""
    return sorted(dict.fromkeys(filter(None, paths)), key=lambda p: (p.count("/"), p))


def outermost(paths: Iterable[str]) -> list[str]:
    """Without what lies below another."""
    kept: list[str] = []
    for path in by_depth(paths):
        if not is_in(path, *kept):
            kept.append(path)
    return kept


def real(paths: Iterable[str]) -> list[str]:
    """By the names that they have once every link is followed."""
    return by_depth(os.path.realpath(path) for path in dict.fromkeys(paths) if path)


def links_to(paths: Iterable[str]) -> dict[str, str]:
    """Every link on the way to these paths, and where it leads."""
    found: dict[str, str] = {}
    looked: set[str] = set()
    left = [os.path.normpath(path) for path in paths if path]
    while left:
        path = left.pop()
        while path not in looked and path not in ("/", ""):
            looked.add(path)
            if os.path.islink(path):
                found[path] = target = os.readlink(path)
                left.append(os.path.normpath(os.path.join(os.path.dirname(path), target)))
            path = os.path.dirname(path)
    return found
