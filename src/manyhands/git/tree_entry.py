"""Entries of a tree, and the tree and commit that are made of them."""

from __future__ import annotations

from manyhands.git.runner import Git
from manyhands.model.ids import Oid

TreeEntry = tuple[str, Oid, str]
"""Kind, object and name."""
MODES = {"blob": "100644", "tree": "040000"}
AUTHOR = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Manyhands"), ("EMAIL", "manyhands@localhost"))
}


def make_tree(git: Git, entries: list[TreeEntry]) -> Oid:
    lines = [f"{MODES[kind]} {kind} {oid}\t{name}\0" for kind, oid, name in entries]
    return Oid(git.run("mktree", "-z", stdin="".join(lines).encode()).line)


def make_commit(git: Git, tree: Oid, parents: list[Oid], message: str) -> Oid:
    flags = [flag for parent in parents for flag in ("-p", parent)]
    made = git.having(None, **AUTHOR).run("commit-tree", *flags, tree, stdin=message.encode())
    return Oid(made.line)
