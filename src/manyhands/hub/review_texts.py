"""The files that comments stand on, each read once for a look at a review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError
from manyhands.git.comparison import load_blobs, load_tree
from manyhands.git.review_files import lines_around, load_now, load_then
from manyhands.hub.review_path import require_path
from manyhands.hub.review_place import kept_index
from manyhands.model.anchor import Side, split_lines, surroundings
from manyhands.model.ids import Oid
from manyhands.model.review import Comment
from manyhands.model.review_events import Standing
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

GONE = Oid("gone")


class Texts:
    """Blocks; not for several threads at once."""

    def __init__(self, hub: Hub, s: Session) -> None:
        self.worktree = Path(s.worktree)
        self._base = s.base_commit
        self._kept = kept_index(hub, s)
        self._lines: dict[tuple[str, Side], list[str]] = {}
        self._blobs: dict[str, Oid] = {}

    def content(self, path: str, side: Side) -> bytes:
        require_path(self.worktree, path)
        if side == "old":
            return load_then(self.worktree, self._base, path)
        return load_now(self.worktree, path)

    def lines(self, path: str, side: Side) -> list[str]:
        key = (path, side)
        if key not in self._lines:
            self._lines[key] = split_lines(self.content(path, side).decode("utf-8", "replace"))
        return self._lines[key]

    def blob(self, path: str) -> Oid:
        """The file's content by name; without a path, that of everything there is."""
        if path not in self._blobs:
            if path:
                found = load_blobs(self.worktree, self._kept, [path]).get(path)
                self._blobs[path] = found[1] if found else GONE
            else:
                self._blobs[path] = load_tree(self.worktree, self._kept)
        return self._blobs[path]

    def standing(self, comment: Comment, where: tuple[int, int] | None) -> Standing:
        """What the comment stands on now; it is addressed once that changes."""
        anchor = comment.anchor
        if not anchor.path or not anchor.lines:
            return Standing(comment=comment.id, blob=self.blob(anchor.path))
        start, end = where or (anchor.start, anchor.end)
        if where is None:
            hunk: tuple[str, ...] = anchor.lines
        elif anchor.side == "old":
            hunk = tuple(self._around_removed(anchor.path, start))
        else:
            hunk = surroundings(self.lines(anchor.path, "new"), start, end)
        return Standing(comment=comment.id, hunk=hunk)

    def _around_removed(self, path: str, line: int) -> list[str]:
        old = self.content(path, "old")
        try:
            new = self.content(path, "new")
        except ManyhandsError:
            return []
        return lines_around(old, new, line)
