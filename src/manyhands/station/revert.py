"""Put a file, or a hunk of it, back, or a suggestion in; nothing else is touched.

What is there must be what the person saw: it is compared before the write, and the write itself
replaces the file in one step.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from manyhands.contract.review import Hunk, Reverting
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.git.diff.comparison import leaf_then, load_now, load_then
from manyhands.git.replacing import replace_file
from manyhands.git.tree_edit import Leaf
from manyhands.model.ids import Oid
from manyhands.model.review.anchor import Anchor
from manyhands.station.comments import Texts
from manyhands.station.review import Against, comparison, find_leaf
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree, require_path

LINK, PROGRAM = 0o120000, 0o100755


@in_thread
def find_old(worktree: Worktree, against: Against, given: Reverting) -> Oid:
    """What the file is to be put back to; refused where it is not what the person saw."""
    for path in filter(None, (given.path, given.old_path)):
        require_path(worktree.root, path)
    old = comparison(worktree, against).old
    _require_seen(worktree, given.path, given.blob)
    return old


@in_thread
def put_back(worktree: Worktree, old: Oid, given: Reverting) -> None:
    _require_seen(worktree, given.path, given.blob)
    if given.hunk:
        _put_hunk_back(worktree, old, given, given.hunk)
    else:
        _put_file_back(worktree, old, given)


def _blob(worktree: Worktree, path: str) -> str:
    found = find_leaf(worktree, path)
    return found.oid if found else ""


def _require_seen(worktree: Worktree, path: str, blob: str) -> None:
    if _blob(worktree, path) != blob:
        raise NotPossible(
            f"{path} changed while you looked at it",
            hint="look at what is there now, then try again",
        )


def _put_file_back(worktree: Worktree, old: Oid, given: Reverting) -> None:
    root, origin = worktree.root, given.old_path or given.path
    leaf = leaf_then(root, old, origin)
    if given.old_path and given.old_path != given.path:
        if (root / origin).exists():
            raise NotPossible(f"{origin} is there again, in the way of the old file")
        _put_leaf(root / given.path, None, b"")
    _put_leaf(root / origin, leaf, load_then(root, old, origin) if leaf else b"")


def _put_hunk_back(worktree: Worktree, old: Oid, given: Reverting, hunk: Hunk) -> None:
    root = worktree.root
    _require_stretches(hunk)
    if (root / given.path).is_symlink():
        raise NotPossible(f"{given.path} is a link; only the whole of it can be put back")
    present = load_now(root, given.path)
    try:
        before = load_then(root, old, given.old_path or given.path)
    except NotFound:
        before = b""
    lines = _split(before)[Stretch(hunk.old_start, hunk.old_count).slice]
    fresh = _with_lines(present, Stretch(hunk.new_start, hunk.new_count), lines)
    replace_file(root / given.path, fresh)


def _require_stretches(hunk: Hunk) -> None:
    if min(hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) < 0:
        raise BadInput("a hunk's lines are counted from 1")
    if (hunk.old_count and not hunk.old_start) or (hunk.new_count and not hunk.new_start):
        raise BadInput("a hunk's lines are counted from 1")


@in_thread
def find_stretch(worktree: Worktree, anchor: Anchor) -> tuple[tuple[int, int], str] | None:
    """Where the anchor's lines are, None: nowhere; and the content that they are in."""
    require_path(worktree.root, anchor.path)
    where, blob = Texts(worktree).locate(anchor), _blob(worktree, anchor.path)
    return (where, blob) if where and blob else None


@in_thread
def put_in(
    worktree: Worktree, path: str, where: tuple[int, int], blob: str, suggestion: str
) -> None:
    """The suggestion takes the place of the lines."""
    _require_seen(worktree, path, blob)
    lines = [line.encode() + b"\n" for line in suggestion.split("\n")] if suggestion else []
    stretch = Stretch(where[0], where[1] - where[0] + 1)
    replace_file(worktree.root / path, _with_lines(load_now(worktree.root, path), stretch, lines))


@dataclass(frozen=True)
class Stretch:
    """`count` lines from `start` on, from 1; with no lines, the place after line `start`."""

    start: int
    count: int

    @property
    def slice(self) -> slice:
        first = self.start - 1 if self.count else self.start
        return slice(first, first + self.count)


def _with_lines(content: bytes, where: Stretch, lines: list[bytes]) -> bytes:
    """The content with a stretch of it replaced; the file's own line endings are kept."""
    present = _split(content)
    ending = b"\r\n" if any(line.endswith(b"\r\n") for line in present) else b"\n"
    fitted = [_ended(line, ending) for line in lines]
    if where.slice.stop > len(present):
        raise NotPossible("the file has fewer lines than the change that is to go")
    before, after = present[: where.slice.start], present[where.slice.stop :]
    if before and fitted and not before[-1].endswith(b"\n"):
        before[-1] += ending
    if not after and fitted and lines and not lines[-1].endswith(b"\n"):
        fitted[-1] = fitted[-1].removesuffix(ending)
    return b"".join([*before, *fitted, *after])


def _split(content: bytes) -> list[bytes]:
    """At line feeds only."""
    parts = content.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _ended(line: bytes, ending: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r") + ending


def _put_leaf(file: Path, leaf: Leaf | None, content: bytes) -> None:
    """The file as it was: gone, a link, or a file with its mode."""
    if leaf is None:
        file.unlink(missing_ok=True)
    elif leaf.mode == LINK:
        file.unlink(missing_ok=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(os.fsdecode(content))
    else:
        if file.is_symlink():
            file.unlink()
        replace_file(file, content, 0o755 if leaf.mode == PROGRAM else 0o644)
