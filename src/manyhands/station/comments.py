"""The files that comments stand on, each read once for a look at a review."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from manyhands.contract.review import Drafting
from manyhands.errors import BadInput, ManyhandsError, NotFound
from manyhands.git.diff.comparison import lines_around, load_now, load_then, load_tree
from manyhands.model.ids import Oid
from manyhands.model.redaction import Redactor
from manyhands.model.review.anchor import (
    Anchor,
    Side,
    anchored,
    is_changed,
    locate,
    split_lines,
    surroundings,
)
from manyhands.model.review.events import Standing
from manyhands.model.review.review import Comment
from manyhands.station.review import find_leaf, kept_index
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree, require_path

GONE = Oid("gone")
LineSpan = tuple[int, int] | None


class FoundComment(msgspec.Struct, frozen=True):
    """Where a comment's lines are now, None: nowhere; whether what it stood on has changed."""

    where: LineSpan
    addressed: bool


@in_thread
def find_comments(worktree: Worktree, comments: Sequence[Comment]) -> list[FoundComment]:
    texts = Texts(worktree)
    return [FoundComment(texts.locate(c.anchor), texts.is_addressed(c)) for c in comments]


@in_thread
def find_standings(
    worktree: Worktree, comments: Sequence[Comment]
) -> dict[str, tuple[Standing, LineSpan]]:
    """By comment: what it stands on now, and where."""
    texts = Texts(worktree)
    return {c.id: texts.standing(c) for c in comments}


@in_thread
def find_anchor(worktree: Worktree, given: Drafting) -> Anchor:
    texts = Texts(worktree)
    if given.path:
        _require_known(texts, given)
    if not given.start:
        return Anchor(path=given.path, side=given.side)
    lines = texts.lines(given.path, given.side)
    if not given.lines:
        if given.end > len(lines):
            raise BadInput(f"{given.path} has {len(lines)} lines")
        return anchored(given.path, given.side, lines, given.start, given.end)
    seen = tuple(line.removesuffix("\r") for line in given.lines)
    wanted = Anchor(path=given.path, side=given.side, start=given.start, end=given.end, lines=seen)
    found = texts.locate(wanted)
    # Lines that are gone already are kept as they were seen: the comment starts out outdated.
    return anchored(given.path, given.side, lines, *found) if found else wanted


def _require_known(texts: Texts, given: Drafting) -> None:
    """A comment on a deleted file stands on its old content."""
    try:
        texts.content(given.path, given.side)
    except NotFound:
        texts.content(given.path, "new" if given.side == "old" else "old")
        if given.start:
            raise


class Texts:
    """As they are shown and recorded: without secrets. Blocks; not for several threads at once."""

    def __init__(self, worktree: Worktree) -> None:
        self._worktree = worktree
        self._redactor = Redactor(worktree.secrets)
        self._lines: dict[tuple[str, Side], list[str]] = {}
        self._blobs: dict[str, Oid] = {}

    def content(self, path: str, side: Side) -> bytes:
        root = self._worktree.root
        require_path(root, path)
        return load_then(root, self._worktree.base, path) if side == "old" else load_now(root, path)

    def lines(self, path: str, side: Side) -> list[str]:
        key = (path, side)
        if key not in self._lines:
            self._lines[key] = split_lines(self._text(path, side))
        return self._lines[key]

    def _text(self, path: str, side: Side) -> str:
        return self._redactor.lines(self.content(path, side).decode("utf-8", "replace"))

    def _clean(self, anchor: Anchor) -> Anchor:
        """One may be older than what is known of secrets by now."""
        clean = {
            name: tuple(map(self._redactor.text, getattr(anchor, name)))
            for name in ("lines", "before", "after")
        }
        return msgspec.structs.replace(anchor, **clean)

    def blob(self, path: str) -> Oid:
        """The file's content by name; without a path, that of everything there is."""
        if path not in self._blobs:
            if path:
                found = find_leaf(self._worktree, path)
                self._blobs[path] = found.oid if found else GONE
            else:
                self._blobs[path] = load_tree(self._worktree.root, kept_index(self._worktree))
        return self._blobs[path]

    def locate(self, anchor: Anchor) -> LineSpan:
        """Where the anchor's lines are now; a comment without lines stays where it is."""
        if not anchor.path or not anchor.lines:
            return (anchor.start, anchor.end)
        try:
            return locate(self._clean(anchor), self.lines(anchor.path, anchor.side))
        except (ManyhandsError, OSError):
            return None

    def is_addressed(self, comment: Comment) -> bool:
        """Only if what it stood on when it was sent has changed since."""
        standing, path = comment.standing, comment.anchor.path
        if standing is None:
            return False
        try:
            if standing.blob:
                return self.blob(path) != standing.blob
            return is_changed(standing.hunk, self.lines(path, "new"))
        except (ManyhandsError, OSError):
            # The file itself is gone, or the worktree is: only the first says anything.
            return self._worktree.root.is_dir()

    def standing(self, comment: Comment) -> tuple[Standing, LineSpan]:
        """What the comment stands on now, and where; it is addressed once that changes."""
        where = self.locate(comment.anchor)
        try:
            return self._standing(comment, where), where
        except (ManyhandsError, OSError):
            return Standing(comment=comment.id, hunk=comment.anchor.lines), where

    def _standing(self, comment: Comment, where: LineSpan) -> Standing:
        anchor = comment.anchor
        if not anchor.path or not anchor.lines:
            return Standing(comment=comment.id, blob=self.blob(anchor.path))
        if where is None:
            hunk: tuple[str, ...] = anchor.lines
        elif anchor.side == "old":
            hunk = tuple(self._around_removed(anchor.path, where[0]))
        else:
            hunk = surroundings(self.lines(anchor.path, "new"), *where)
        return Standing(comment=comment.id, hunk=hunk)

    def _around_removed(self, path: str, line: int) -> list[str]:
        old = self._text(path, "old")
        try:
            new = self._text(path, "new")
        except ManyhandsError:
            return []
        return lines_around(old.encode(), new.encode(), line)
