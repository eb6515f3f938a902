"""A merge that did not come out clean, settled as its first side would have it."""

from __future__ import annotations

import pygit2
from pygit2.enums import MergeFavor, MergeFlag

from manyhands.git.radar.forecast import Forecast
from manyhands.git.tree_edit import EMPTY, Leaf, edited
from manyhands.model.ids import Oid

FILES = (0o100644, 0o100755)


def settled(objects: pygit2.Repository, found: Forecast) -> Oid:
    """The tree of it. Of a text only the lines in question are the first side's."""
    if found.clean:
        return found.tree
    leaves = {
        c.path: _settled_leaf(objects, c.stages)
        for c in found.conflicts
        if c.stages and _is_text(c.path)
    }
    return edited(objects, found.tree, leaves)


def _is_text(path: str) -> bool:
    """Where the name is not, the path stays as git has left it."""
    return not any("\ud800" <= letter <= "\udfff" for letter in path)


def _settled_leaf(objects: pygit2.Repository, stages: tuple[Leaf | None, ...]) -> Leaf | None:
    base, ours, theirs = stages
    if not (base and ours and theirs) or any(s.mode not in FILES for s in (base, ours, theirs)):
        return ours
    root, one, other = (
        edited(objects, EMPTY, {"file": Leaf(FILES[0], s.oid)}) for s in (base, ours, theirs)
    )
    merged = objects.merge_trees(root, one, other, favor=MergeFavor.OURS, flags=MergeFlag(0))
    if merged.conflicts:
        return ours
    mode = theirs.mode if ours.mode == base.mode else ours.mode
    return Leaf(mode, Oid(str(merged["file"].id)))
