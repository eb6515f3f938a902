"""Whether anything is staged in a twin, at a glance: after a commit its index says so itself.

Git notes in an index which tree it would write, as long as that is known. Whoever writes something
else there deceives only themselves: what is staged is then not brought over.
"""

from __future__ import annotations

from pathlib import Path

from manyhands.errors import TwinBroken
from manyhands.git.twin.untrusted import opened

MOST_BYTES = 256 << 20
_MARK, _SHARED = b"TREE", b"link"
_HASH, _HEAD, _MOST_TRIES = 20, 8, 20


def is_tree(twin: Path, tree: str) -> bool:
    """Whether the index is known to be exactly this tree."""
    try:
        with opened(twin) as place:
            data = place.read("index", MOST_BYTES)
    except TwinBroken:
        return False
    return data is not None and bool(tree) and _noted_tree(data) == tree


def _noted_tree(data: bytes) -> str:
    """By its extensions, which come last: those after the note must end where the index does."""
    at = len(data)
    for _ in range(_MOST_TRIES):
        at = data.rfind(_MARK, 0, at)
        if at < 0:
            return ""
        names = _extensions(data, at)
        if names is not None:
            return "" if _SHARED in names else _top(data[at + _HEAD :])
    return ""


def _extensions(data: bytes, at: int) -> list[bytes] | None:
    names, end = [], len(data) - _HASH
    while at + _HEAD <= end:
        names.append(data[at : at + 4])
        at += _HEAD + int.from_bytes(data[at + 4 : at + _HEAD], "big")
    return names if at == end else None


def _top(note: bytes) -> str:
    """The first entry: no name, how many files, how many trees below; no object where unknown."""
    path, nul, rest = note.partition(b"\0")
    numbers, newline, rest = rest.partition(b"\n")
    if path or not nul or not newline or numbers.startswith(b"-"):
        return ""
    return rest[:_HASH].hex()
