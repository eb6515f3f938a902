"""A tree with some paths changed, without an index: only the folders on their way are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pygit2

from manyhands.model.ids import Oid

TREE = 0o040000
EMPTY = Oid("")
"""The tree with nothing in it."""


@dataclass(frozen=True)
class Leaf:
    mode: int
    oid: Oid


def edited(repo: pygit2.Repository, tree: Oid, changes: Mapping[str, Leaf | None]) -> Oid:
    """The tree with each path set to its leaf, or removed with everything below where None."""
    made = _edited(repo, tree, changes)
    return made if made is not None else Oid(str(repo.TreeBuilder().write()))


def _edited(
    repo: pygit2.Repository, tree: Oid | None, changes: Mapping[str, Leaf | None]
) -> Oid | None:
    builder = repo.TreeBuilder(tree) if tree else repo.TreeBuilder()
    below: dict[str, dict[str, Leaf | None]] = {}
    for path, leaf in changes.items():
        name, slash, rest = path.partition("/")
        if slash:
            below.setdefault(name, {})[rest] = leaf
        elif leaf is not None:
            builder.insert(name, leaf.oid, leaf.mode)
        elif builder.get(name) is not None:
            builder.remove(name)
    for name, inner in below.items():
        if changes.get(name) is None:
            _edit_below(repo, builder, name, inner)
    return Oid(str(builder.write())) if len(builder) else None


def _edit_below(
    repo: pygit2.Repository,
    builder: pygit2.TreeBuilder,
    name: str,
    changes: Mapping[str, Leaf | None],
) -> None:
    entry = builder.get(name)
    is_folder = getattr(entry, "filemode", None) == TREE
    made = _edited(repo, Oid(str(entry.id)) if is_folder else None, changes)
    if made is not None:
        builder.insert(name, made, TREE)
    elif is_folder:
        builder.remove(name)


def leaf_at(repo: pygit2.Repository, tree: Oid, path: str) -> Leaf | None:
    """What the tree has at `path`: a file, link, or folder."""
    found = repo[tree]
    for part in path.split("/"):
        if not isinstance(found, pygit2.Tree) or part not in found:
            return None
        found = found[part]
    return Leaf(found.filemode, Oid(str(found.id)))


def files_below(repo: pygit2.Repository, tree: Oid, folder: str) -> list[str]:
    leaf = leaf_at(repo, tree, folder)
    if leaf is None or leaf.mode != TREE:
        return []
    found: list[str] = []
    pending = [(folder, leaf.oid)]
    while pending:
        above, oid = pending.pop()
        for entry in repo[oid].peel(pygit2.Tree):
            path = f"{above}/{entry.name}"
            if entry.filemode == TREE:
                pending.append((path, Oid(str(entry.id))))
            else:
                found.append(path)
    return found
