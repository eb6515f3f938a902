"""From any title to a short name that is safe in a path, a branch and a shell."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

from manyhands.errors import BadInput

LONGEST = 48
LONGEST_TITLE = 10_000
_RESERVED = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))}


def slug(title: str) -> str:
    """ASCII words joined by hyphens; ``session`` where nothing of the title survives."""
    plain = unicodedata.normalize("NFKD", title[:400]).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain.lower())
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word[:LONGEST]
        if len(longer) > LONGEST:
            break
        name = longer
    if not name:
        return "session"
    # Windows cannot make a file called "con" or "nul", with or without an ending.
    return f"{name}-session" if name in _RESERVED else name


def unique_slug(title: str, taken: Container[str]) -> str:
    """The title's slug, numbered from 2 where it is taken already."""
    wanted = slug(title)
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def require_title(given: str) -> str:
    """The title as it was given, on one line; empty where nothing was."""
    title = " ".join(line.strip() for line in given.splitlines()).strip()
    if len(title) > LONGEST_TITLE:
        raise BadInput(
            f"the title has {len(title)} characters, {LONGEST_TITLE} at most are kept",
            hint="shorten it; the task itself may be as long as it has to be",
        )
    return title


def title_of(text: str, longest: int = 80) -> str:
    """A title from the first line of a task."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    first = "".join(c for c in first if c.isprintable())
    if len(first) <= longest:
        return first or "Untitled"
    return first[: longest - 1].rsplit(" ", 1)[0].rstrip(" .,;:") + "…"
