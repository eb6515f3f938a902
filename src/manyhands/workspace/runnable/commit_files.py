"""The files of a commit, without a checkout of it."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from manyhands.git.tree_edit import LINK_MODE, Leaf, list_tree, load_blobs
from manyhands.model.ids import Oid
from manyhands.workspace.runnable.files import (
    HEAD_BYTES,
    MOST_BYTES,
    UNREAD,
    Content,
    Kind,
    hashed,
    shown_name,
    too_much,
)
from manyhands.workspace.runnable.table import begins_a_row


@functools.lru_cache(maxsize=4)
def _load_leaves(repo: Path, commit: Oid) -> tuple[dict[str, Leaf], frozenset[str]]:
    """What the commit holds, and its folders."""
    leaves = list_tree(repo, commit)
    folders: set[str] = {""}
    for path in leaves:
        folder = path.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return leaves, frozenset(folders)


class CommitFiles:
    def __init__(self, repo: Path, commit: Oid) -> None:
        self._repo = repo
        self._commit = commit
        self._leaves, self._folders = _load_leaves(repo, commit)
        self._contents: dict[Oid, bytes] = {}

    def kind(self, path: str) -> Kind | None:
        leaf = self._leaves.get(path)
        if leaf is None:
            return "folder" if path in self._folders else None
        return "link" if leaf.mode == LINK_MODE else "file"

    def target(self, path: str) -> str:
        return os.fsdecode(self._data(self._leaves[path]))

    def inside(self, target: str) -> str | None:
        return None

    def below(self, folder: str) -> Iterator[str]:
        start = f"{folder}/" if folder else ""
        for path in self._leaves:
            if path.startswith(start) and not UNREAD & set(path[len(start) :].split("/")[:-1]):
                yield path

    def candidates(self) -> Iterator[str]:
        for path in self._leaves:
            first, *others = path.lower().split("/")
            is_wanted = begins_a_row(first, True) or any(map(begins_a_row, others))
            if is_wanted and not UNREAD & set(path.split("/")[:-1]):
                yield path

    def expect(self, paths: Sequence[str]) -> None:
        self._fetch([self._leaves[path] for path in paths])

    def load(self, path: str, name: str) -> Content | None:
        data = self._data(self._leaves[path])
        return Content(data[:HEAD_BYTES], hashed(name, data).hexdigest(), len(data))

    def way_to(self, path: str) -> str:
        words = ("git", "-C", str(self._repo), "show", f"{self._commit}:{path}")
        return shown_name(shlex.join(words))

    def _data(self, leaf: Leaf) -> bytes:
        if leaf.oid not in self._contents:
            self._fetch([leaf])
        return self._contents[leaf.oid]

    def _fetch(self, leaves: list[Leaf]) -> None:
        wanted = list(dict.fromkeys(leaf.oid for leaf in leaves))
        found = load_blobs(self._repo, wanted, most_bytes=MOST_BYTES)
        if found is None:
            raise too_much(f"{self._repo} at {self._commit[:12]}")
        self._contents |= found
