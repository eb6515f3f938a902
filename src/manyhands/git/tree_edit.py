"""Trees without an index or a checkout: read, made, and with some paths changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2

from manyhands.git.objects import write_object
from manyhands.git.runner import TIMEOUT, Git
from manyhands.model import clock
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


TreeEntry = tuple[str, Oid, str]
"""Kind, object and name."""
MODES = {"blob": "100644", "tree": "040000"}
NAME, EMAIL = "Manyhands", "manyhands@localhost"


def make_tree(git: Git, entries: list[TreeEntry]) -> Oid:
    parts = sorted((_sort_key(kind, name), kind, oid, name) for kind, oid, name in entries)
    content = b"".join(
        f"{MODES[kind].lstrip('0')} {name}".encode() + b"\0" + bytes.fromhex(oid)
        for _, kind, oid, name in parts
    )
    return write_object(git, "tree", content, [oid for _, oid, _ in entries])


def _sort_key(kind: str, name: str) -> bytes:
    """Git's own order: a folder comes as if its name ended in a slash."""
    return f"{name}/".encode() if kind == "tree" else name.encode()


def make_commit(git: Git, tree: Oid, parents: list[Oid], message: str) -> Oid:
    """In our own name."""
    content = commit_content(tree, parents, message, at=int(clock.seconds_since(0)))
    return write_object(git, "commit", content, [tree, *parents])


def commit_content(tree: str, parents: Iterable[str], message: str, *, at: int = 0) -> bytes:
    """Always the same for the same moment."""
    who = f"{NAME} <{EMAIL}> {at} +0000"
    lines = [f"tree {tree}", *(f"parent {oid}" for oid in parents)]
    return "\n".join([*lines, f"author {who}", f"committer {who}", "", message, ""]).encode()


def commit_tree(
    git: Git,
    tree: Oid,
    parents: list[Oid],
    message: bytes,
    *options: str,
    timeout: float = TIMEOUT,
) -> Oid:
    named = [flag for parent in parents for flag in ("-p", parent)]
    argv = ("commit-tree", *named, *options, tree)
    return Oid(git.run(*argv, stdin=message, timeout=timeout).line)


def load_tree_files(
    repo: Path, commit: Oid, paths: Sequence[str], *, largest: int, most: int
) -> dict[str, bytes]:
    """Contents of the files at or below `paths`; one that is larger is cut, a link is its text."""
    if not paths:
        return {}  # git would list every file
    git = Git(repo)
    argv = ("ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *paths)
    found: dict[str, str] = {}
    for record in git.run(*argv).records[:most]:
        about, _, name = record.partition(b"\t")
        _, kind, oid, _ = about.split()
        if kind == b"blob":
            found[os.fsdecode(name)] = oid.decode()
    asked = "".join(f"{oid}\n" for oid in found.values()).encode()
    if not asked:
        return {}
    data = git.run("cat-file", "--batch", stdin=asked).stdout
    contents = {}
    for path in found:
        head, _, data = data.partition(b"\n")
        size = int(head.split()[2])
        contents[path] = data[: min(size, largest)]
        data = data[size + 1 :]
    return contents


LINK_MODE = 0o120000


def list_tree(repo: Path, commit: Oid) -> dict[str, Leaf]:
    """Every file and link of the commit; submodules are not among them."""
    found: dict[str, Leaf] = {}
    for record in Git(repo).run("ls-tree", "-r", "-z", "--full-tree", commit).records:
        about, _, name = record.partition(b"\t")
        mode, kind, oid = about.split()
        if kind == b"blob":
            found[os.fsdecode(name)] = Leaf(int(mode, 8), Oid(oid.decode()))
    return found


def load_blobs(repo: Path, oids: Sequence[Oid], *, most_bytes: int) -> dict[Oid, bytes] | None:
    """The objects' whole contents; None where they are more than so many bytes together."""
    git, asked = Git(repo), "".join(f"{oid}\n" for oid in oids).encode()
    if not asked:
        return {}
    sizes = git.run("cat-file", "--batch-check=%(objectsize)", stdin=asked).stdout.split()
    if sum(map(int, sizes)) > most_bytes:
        return None
    data, at, contents = git.run("cat-file", "--batch", stdin=asked).stdout, 0, {}
    for oid, size in zip(oids, map(int, sizes), strict=True):
        begin = data.index(b"\n", at) + 1
        contents[oid] = data[begin : begin + size]
        at = begin + size + 1
    return contents
