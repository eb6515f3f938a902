"""The tree of all files as a person last viewed them, so that what changed since can be shown.

``files`` holds the contents by path; ``gone`` an empty file for each one viewed as deleted.
"""

from __future__ import annotations

from pathlib import Path

import pygit2

from manyhands.git.pathdiff import open_repository
from manyhands.git.runner import Git
from manyhands.git.tree_edit import Leaf, edited, leaf_at
from manyhands.model.ids import Oid

GONE_MODE = 0o100644


def viewed_ref(session: str) -> str:
    return f"refs/manyhands/viewed/{session}"


def with_viewed(worktree: Path, tree: Oid, path: str, leaf: Leaf | None) -> Oid:
    """The tree after `path` was viewed with this content, or as deleted."""
    repo = open_repository(worktree)
    gone = Leaf(GONE_MODE, Oid(str(repo.create_blob(b""))))
    changes = {f"files/{path}": leaf, f"gone/{path}": None if leaf else gone}
    return edited(repo, tree or _empty(repo), changes)


def without_viewed(worktree: Path, tree: Oid, path: str) -> Oid:
    repo = open_repository(worktree)
    return edited(repo, tree or _empty(repo), {f"files/{path}": None, f"gone/{path}": None})


def keep_viewed(worktree: Path, session: str, tree: Oid) -> None:
    """Nothing else names these contents; without a ref git would one day drop them."""
    Git(worktree).run("update-ref", "--no-deref", viewed_ref(session), tree)


def viewed_files(worktree: Path, tree: Oid) -> Oid:
    """The part of the tree that holds contents, to be compared with the worktree."""
    repo = open_repository(worktree)
    leaf = leaf_at(repo, tree, "files") if tree else None
    return leaf.oid if leaf else _empty(repo)


def viewed_blobs(worktree: Path, tree: Oid) -> dict[str, Oid]:
    """Every viewed path with its content's name; empty for one viewed as deleted."""
    if not tree:
        return {}
    found: dict[str, Oid] = {}
    for record in Git(worktree).run("ls-tree", "-r", "-z", "--full-tree", tree).records:
        meta, name = record.split(b"\t", 1)
        part, _, path = name.decode("utf-8", "surrogateescape").partition("/")
        found[path] = Oid(meta.split(b" ")[2].decode() if part == "files" else "")
    return found


def _empty(repo: pygit2.Repository) -> Oid:
    return Oid(str(repo.TreeBuilder().write()))
