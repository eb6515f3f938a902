"""Snapshots: the whole state of a worktree, byte for byte, as one commit.

Its tree holds:

- ``display``: the files as `git add -A` would store them, for diffs and merges;
- ``raw``: the same files with the bytes that lie on disk;
- ``ignored``: ignored files, raw, where asked for;
- ``index``: the agent's index file; ``staged``, ``stage1``…``stage3``: the objects it names;
- ``manifest.json`` and ``nested``: what no tree can hold (see `manifest`, `nested`).

Its parents are the base and HEAD. Nothing of the agent's is touched or waited for.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from manyhands.errors import GitFailed
from manyhands.git import nested, raw, refs
from manyhands.git.contents import Contents, scan
from manyhands.git.manifest import Manifest, Nested, manifest_of
from manyhands.git.private_index import GITLINK, PrivateIndex, private_index
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

AUTHOR = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Manyhands"), ("EMAIL", "manyhands@localhost"))
}
NESTED_REF = "refs/manyhands/nested"


@dataclass(frozen=True)
class Snapshot:
    """A snapshot's parts, by object name."""

    oid: Oid
    parts: dict[str, Oid]
    manifest: Manifest


def make_snapshot(
    worktree: Path,
    *,
    base: Oid | None,
    ignored: bool = False,
    including: Iterable[bytes] = (),
    kept: Path | None = None,
    durable: bool = True,
) -> Oid:
    """Take a snapshot; `including` these files even if ignored.

    `kept` is a directory of ours that makes the next one quick.
    """
    with contextlib.ExitStack() as stack:
        if kept is None:
            kept = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="manyhands-")))
        index = stack.enter_context(private_index(worktree, kept=kept / "index", durable=durable))
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="manyhands-"))
        taking = _Taking(index, kept, Path(scratch), ignored)
        return taking.commit(base, including)


def load_snapshot(repo: Path, oid: Oid) -> Snapshot:
    git = Git(repo)
    listed = [line.split(b"\t") for line in git.run("ls-tree", "-z", oid).records]
    parts = {name.decode(): Oid(meta.split(b" ")[2].decode()) for meta, name in listed}
    manifest = Manifest.decode(git.run("cat-file", "blob", parts["manifest.json"]).stdout)
    return Snapshot(oid, parts, manifest)


class _Taking:
    """One snapshot in the making."""

    def __init__(self, index: PrivateIndex, kept: Path, scratch: Path, ignored: bool) -> None:
        self.index, self.git, self.found = index, index.git, index.found
        self.kept, self.scratch, self.ignored = kept, scratch, ignored
        self.left_out: dict[str, str] = {}

    def commit(self, base: Oid | None, including: Iterable[bytes]) -> Oid:
        with ThreadPoolExecutor() as pool:
            scanned = pool.submit(self._scan)
            indexed = pool.submit(self._agents_index)
            unread = self.index.add_all()
        contents, entries = scanned.result(), indexed.result()
        self.index.add(including)
        self.left_out |= {os.fsdecode(p): "could not be read" for p in unread + contents.strange}
        entries += self._trees(contents)
        inner = self._nested(contents)
        head = refs.resolve(self.index.worktree, "HEAD")
        manifest = replace(
            manifest_of(contents),
            nested=inner,
            left_out=self.left_out,
            ignored=self.ignored,
            head=head or "",
            branch=refs.current_branch(self.index.worktree) or "",
        )
        entries.append(("blob", self._blob(manifest.encode()), "manifest.json"))
        packed = [("blob", Oid(n.packed), n.packed) for n in inner.values() if n.packed]
        if packed:
            entries.append(("tree", make_tree(self.git, packed), "nested"))
        parents = [oid for oid in dict.fromkeys((base, head)) if oid]
        return make_commit(self.git, make_tree(self.git, entries), parents, "manyhands snapshot")

    def _scan(self) -> Contents:
        if self.ignored:
            return scan(self.index.worktree)
        hidden = self._list("--ignored", "--directory")
        return scan(self.index.worktree, {path.rstrip(b"/") for path in hidden})

    def _list(self, *options: str) -> list[bytes]:
        return self.git.run("ls-files", "-z", "--others", "--exclude-standard", *options).records

    def _trees(self, contents: Contents) -> list[TreeEntry]:
        display = Oid(self.git.run("write-tree").line)
        trees = [("tree", display, "display")]
        converts = raw.may_convert(self.git, self.found, contents.has_attributes)
        if not converts and not self.ignored:
            return [*trees, ("tree", display, "raw")]
        store = raw.RawStore(self.git, self.found, self.kept / "raw")
        if converts:
            files = [e.path for e in self.index.entries() if e.mode != GITLINK]
            trees.append(("tree", store.tree("index", files), "raw"))
        else:
            trees.append(("tree", display, "raw"))
        if self.ignored:
            files = [path for path in self._list("--ignored") if not path.endswith(b"/")]
            trees.append(("tree", store.tree("ignored", files), "ignored"))
        return trees

    def _nested(self, contents: Contents) -> dict[str, Nested]:
        inner = {}
        for path in map(os.fsdecode, contents.repositories):
            place = self.index.worktree / path
            if nested.is_submodule(self.found, place):
                inner[path] = _snapshot_submodule(place, self.ignored)
            elif nested.size_of(place) > nested.PACK_LIMIT:
                self.left_out[path] = "an embedded repository that is too large to pack"
            else:
                inner[path] = Nested(packed=nested.pack(self.git, place))
        return inner

    def _agents_index(self) -> list[TreeEntry]:
        """The agent's index file, and trees that keep alive what it names."""
        copy = self.scratch / "index"
        try:
            shutil.copy2(self.found.git_dir / "index", copy)
        except FileNotFoundError:
            return []
        blob = Oid(self.git.run("hash-object", "-w", "--no-filters", "--", copy).line)
        try:
            return [("blob", blob, "index"), *self._staged(copy)]
        except GitFailed:
            self.left_out[".git/index"] = "names objects that do not exist"
            return [("blob", blob, "index")]

    def _staged(self, copy: Path) -> list[TreeEntry]:
        git = self.git.having(GIT_INDEX_FILE=copy)
        unmerged = [line.split(b"\t", 1) for line in git.run("ls-files", "-u", "-z").records]
        if unmerged:
            gone = b"".join(path + b"\0" for _, path in unmerged)
            git.run("update-index", "--force-remove", "-z", "--stdin", stdin=gone)
        trees = [("tree", Oid(git.run("write-tree").line), "staged")]
        for stage in (b"1", b"2", b"3") if unmerged else ():
            lines = [(meta.split(b" "), path) for meta, path in unmerged]
            mine = [b"%s %s 0\t%s\0" % (m[0], m[1], p) for m, p in lines if m[2] == stage]
            staged = self.git.having(GIT_INDEX_FILE=self.scratch / f"stage{stage.decode()}")
            staged.run("update-index", "-z", "--index-info", stdin=b"".join(mine))
            tree = Oid(staged.run("write-tree").line)
            trees.append(("tree", tree, f"stage{stage.decode()}"))
        return trees

    def _blob(self, content: bytes) -> Oid:
        return Oid(self.git.run("hash-object", "-w", "--stdin", stdin=content).line)


TreeEntry = tuple[str, Oid, str]
_MODES = {"blob": "100644", "tree": "040000"}


def make_tree(git: Git, entries: list[TreeEntry]) -> Oid:
    lines = [f"{_MODES[kind]} {kind} {oid}\t{name}\0" for kind, oid, name in entries]
    return Oid(git.run("mktree", "-z", stdin="".join(lines).encode()).line)


def make_commit(git: Git, tree: Oid, parents: list[Oid], message: str) -> Oid:
    flags = [flag for parent in parents for flag in ("-p", parent)]
    made = git.having(None, **AUTHOR).run("commit-tree", *flags, tree, stdin=message.encode())
    return Oid(made.line)


def _snapshot_submodule(place: Path, ignored: bool) -> Nested:
    oid = make_snapshot(place, base=None, ignored=ignored)
    refs.set_ref(place, f"{NESTED_REF}/{oid}", oid, None)
    return Nested(snapshot=oid, git_file=os.fsdecode((place / ".git").read_bytes()))
