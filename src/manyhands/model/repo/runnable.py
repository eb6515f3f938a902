"""A piece of a repository that could make us run something."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec


class Runnable(msgspec.Struct, frozen=True):
    path: str
    digest: str
    text: str
    """Whole, or with a last line that says how much is not shown, and where to look at it."""
    about: str = ""
    """Which tool runs it, and when."""
    size: int = 0


def whole_digest(pieces: Iterable[Runnable]) -> str:
    return hashlib.sha256("\n".join(sorted(p.digest for p in pieces)).encode()).hexdigest()
