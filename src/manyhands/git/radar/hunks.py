"""A conflict in one file, place by place: how it was, and what each side has made of it; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pygit2

from manyhands.git.radar.forecast import Conflict
from manyhands.git.radar.lines import LARGEST_TEXT, carried_line, hunks
from manyhands.model.radar.hunks import LONGEST_LINE, ConflictHunk, HunkPart, Range

CONTEXT = 3
MOST_HUNKS = 20
MOST_LINES = 60
LONGEST_READ = 10 * LONGEST_LINE
"""Bytes of a line: enough of it that a secret in what is shown can be known for one."""


@dataclass(frozen=True)
class Version:
    """One side of it: laid on the common ground, and as its own worktree has it."""

    text: bytes
    own: bytes
    is_there: bool = True


class _Edit(NamedTuple):
    side: int
    start: int
    end: int
    """In the base; up to but without."""
    grows: int
    """By how many lines the side has more there."""


def is_text(*texts: bytes) -> bool:
    return all(len(t) <= LARGEST_TEXT and b"\0" not in t[:8000] for t in texts)


def places(base: bytes, sides: tuple[Version, Version]) -> list[ConflictHunk]:
    """Where changes of both sides touch; everywhere, if git alone knows why they conflict."""
    edits = [_edits(number, base, side.text) for number, side in enumerate(sides)]
    groups = list(_groups(sorted((*edits[0], *edits[1]), key=lambda e: (e.start, e.end))))
    met = [group for group in groups if len({edit.side for edit in group}) > 1]
    drawn = [hunks(side.text, side.own) if side.text != side.own else [] for side in sides]
    return [_hunk(group, base, sides, edits, drawn) for group in met or groups]


def _edits(side: int, base: bytes, text: bytes) -> list[_Edit]:
    found = []
    for hunk in hunks(base, text):
        # Where nothing was there, git counts the line before.
        start = hunk.old_start + (hunk.old_lines == 0)
        grows = hunk.new_lines - hunk.old_lines
        found.append(_Edit(side, start, start + hunk.old_lines, grows))
    return found


def _groups(edits: Sequence[_Edit]) -> Iterable[list[_Edit]]:
    """Those that touch each other, directly or through others."""
    group: list[_Edit] = []
    for edit in edits:
        if group and edit.start > max(e.end for e in group):
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _hunk(
    group: list[_Edit],
    base: bytes,
    sides: tuple[Version, Version],
    edits: list[list[_Edit]],
    drawn: list[list[pygit2.DiffHunk]],
) -> ConflictHunk:
    start, end = min(e.start for e in group), max(e.end for e in group)
    parts = []
    for number, side in enumerate(sides):
        before = sum(e.grows for e in edits[number] if e.end <= start and e not in group)
        grows = sum(e.grows for e in group if e.side == number)
        part = _part(side.text, (start + before, end + before + grows))
        number_there = carried_line(part.start, drawn[number])
        parts.append(HunkPart(number_there, part.lines, part.changed, part.cut))
    a, b = (p if s.is_there else HunkPart() for p, s in zip(parts, sides, strict=True))
    return ConflictHunk(_part(base, (start, end)), a, b)


def _part(text: bytes, span: Range) -> HunkPart:
    """Lines from `span[0]`, counted from one, up to `span[1]`, and some around them."""
    lines = text.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    first = max(1, span[0] - CONTEXT)
    wanted = lines[first - 1 : span[1] - 1 + CONTEXT]
    shown = wanted[:MOST_LINES]
    cut = len(wanted) > len(shown) or any(len(line) > LONGEST_LINE for line in shown)
    changed = (min(span[0] - first, len(shown)), min(span[1] - first, len(shown)))
    return HunkPart(first, tuple(map(_shown, shown)), changed, cut)


def _shown(line: bytes) -> str:
    return line[:LONGEST_READ].decode("utf-8", "replace")


_WORDS = {
    "add/add": "both have added it",
    "rename/rename": "both have renamed it, each to another name",
    "rename/delete": "one has renamed it, the other has deleted it",
    "rename/add": "one has renamed a file to this name, the other has a new one there",
    "file/directory": "it is a file on one side and a folder on the other",
    "file location": "one has renamed the folder into which the other has put it",
    "directory rename split": "one has spread the folder over several into which the other put it",
    "implicit dir rename": "one has renamed the folder into which the other has put it",
    "distinct types": "it is of another kind on each side",
    "distinct modes": "it is of another kind on each side",
    "binary": "it is no text",
}


def note(conflict: Conflict, labels: tuple[str, str]) -> str:
    """What lines alone do not tell; the labels are the names of the sides."""
    a, b = labels
    _, one, other = conflict.stages or (None, None, None)
    if conflict.kind == "modify/delete":
        gone, kept = (b, a) if one else (a, b)
        return f"{gone} has deleted it, {kept} has changed it"
    if conflict.kind == "submodule" and one and other:
        return f"a submodule: {a} has it at {one.oid[:12]}, {b} at {other.oid[:12]}"
    if conflict.kind == "content":
        return ""
    return _WORDS.get(conflict.kind, conflict.kind)
