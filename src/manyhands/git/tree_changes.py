"""What differs between two trees, path by path; equal folders are never opened."""

from __future__ import annotations

import pygit2

from manyhands.git.meeting import Change
from manyhands.git.tree_edit import TREE, Leaf
from manyhands.model.ids import Oid


def tree_changes(repo: pygit2.Repository, old: Oid, new: Oid) -> dict[str, Change]:
    """Raises `UnicodeError` where a name is no text."""
    found: dict[str, Change] = {}
    pending: list[tuple[str, Oid | None, Oid | None]] = [("", old, new)]
    while pending:
        above, before, after = pending.pop()
        if before == after:
            continue
        was, now = _entries(repo, before), _entries(repo, after)
        for name in was.keys() | now.keys():
            one, other = was.get(name), now.get(name)
            if one == other:
                continue
            path = f"{above}{name}"
            folders = (_folder(one), _folder(other))
            if any(folders):
                pending.append((f"{path}/", *folders))
            gone, there = _file(one), _file(other)
            if gone != there:
                found[path] = Change(there, added=gone is None)
    return found


def _entries(repo: pygit2.Repository, tree: Oid | None) -> dict[str, Leaf]:
    if tree is None:
        return {}
    entries = repo[tree].peel(pygit2.Tree)
    return {str(e.name): Leaf(e.filemode, Oid(str(e.id))) for e in entries}


def _folder(leaf: Leaf | None) -> Oid | None:
    return leaf.oid if leaf is not None and leaf.mode == TREE else None


def _file(leaf: Leaf | None) -> Leaf | None:
    return leaf if leaf is not None and leaf.mode != TREE else None
