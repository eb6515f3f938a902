"""Snapshots: the whole state of a worktree, byte for byte, as one commit.

Its tree holds:

- ``display``: the files as `git add -A` would store them, for diffs and merges;
- ``raw``: the same files with the bytes that lie on disk;
- ``index``: the agent's index file; ``staged``, ``stage1``…``stage3``: the objects it names;
- ``manifest.json``: what no tree can hold (see `manifest`, `nested`).

Ignored files, where asked for, and packed repositories lie in a private store (see `private`): who
pushes or clones the repository does not take them along. Its parents are the base and HEAD. Nothing
of the agent's is touched or waited for.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Required, TypedDict, Unpack

from manyhands.git import refs
from manyhands.git.collector import made_whole
from manyhands.git.contents import Census, scan
from manyhands.git.objects import write_object
from manyhands.git.private_index import GITLINK, WATCHFUL, PrivateIndex, mark_of, private_index
from manyhands.git.runner import Git
from manyhands.git.snapshot import nested, raw
from manyhands.git.snapshot.manifest import Nested, manifest_of
from manyhands.git.snapshot.parts import keep_index, load_listed
from manyhands.git.snapshot.private import private_of_submodule, require_private
from manyhands.git.snapshot.successor import Last, forget_last, make_successor, set_last
from manyhands.git.tree_edit import TreeEntry, make_commit, make_tree
from manyhands.model.ids import Oid

NESTED_REF = "refs/manyhands/nested"


def make_snapshot(
    worktree: Path,
    *,
    base: Oid | None,
    ignored: bool = False,
    including: Iterable[bytes] = (),
    kept: Path | None = None,
    changed: Iterable[bytes] | None = None,
    listed: Iterable[str] = (),
    private: Path | None = None,
) -> Oid:
    """Take a snapshot; `including` these links even if ignored, as if they were not.

    `listed` are ignored files that are kept where they are there, apart from the others, in the
    store at `private`.
    `kept` is a directory of ours that makes the next one quick, and quicker still where all
    that has `changed` since the last one is known.
    """
    if kept is not None and changed is not None:
        quick = make_successor(
            worktree, base=base, kept=kept, changed=changed, listed=listed, private=private
        )
        if quick is not None:
            return quick
    with contextlib.ExitStack() as stack:
        if kept is None:
            kept = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="manyhands-")))
        index = stack.enter_context(private_index(worktree, kept=kept / "index", durable=True))
        mark = mark_of(index.found.git_dir / "index")
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="manyhands-"))
        taking = _Taking(index, kept, Path(scratch), ignored, private)
        taking.listed = load_listed(worktree, listed)
        made = taking.commit(base, including)
        set_last(kept, Last(made, base or Oid(""), mark, taking.has_attributes))
        return made


class SnapshotOptions(TypedDict, total=False):
    base: Required[Oid | None]
    ignored: bool
    including: Iterable[bytes]
    kept: Path | None
    listed: Iterable[str]
    private: Path | None


def keep_snapshot(
    worktree: Path,
    ref: str,
    changed: Iterable[bytes] | None = None,
    **options: Unpack[SnapshotOptions],
) -> Oid:
    """Take a snapshot and make the ref keep it, whole."""

    def make(anew: bool) -> Oid:
        if anew and (kept := options.get("kept")):
            forget_last(kept)
        made = make_snapshot(worktree, changed=None if anew else changed, **options)
        refs.put_ref(worktree, ref, made)
        return made

    return made_whole(worktree, make)


class _Taking:
    """One snapshot in the making."""

    def __init__(
        self, index: PrivateIndex, kept: Path, scratch: Path, ignored: bool, private: Path | None
    ) -> None:
        self.index, self.git, self.found = index, index.git, index.found
        self.kept, self.scratch, self.ignored = kept, scratch, ignored
        self.private = private
        self.listed: dict[str, int] = {}
        self.left_out: dict[str, str] = {}
        self.has_attributes = False

    def commit(self, base: Oid | None, including: Iterable[bytes]) -> Oid:
        with ThreadPoolExecutor() as pool:
            scanned = pool.submit(self._scan)
            indexed = pool.submit(keep_index, self.git, self.found, self.scratch)
            unread = self.index.add_all()
        contents, agents = scanned.result(), indexed.result()
        entries = list(agents.entries)
        if agents.broken:
            self.left_out[".git/index"] = "names objects that do not exist"
        self.index.add(including)
        self.left_out |= {os.fsdecode(p): "could not be read" for p in unread + contents.strange}
        self.has_attributes = contents.has_attributes
        entries += self._trees(contents)
        inner = self._nested(contents)
        head = refs.resolve(self.index.worktree, "HEAD")
        seen = manifest_of(contents)
        manifest = replace(
            seen,
            modes=seen.modes | self.listed,
            nested=inner,
            left_out=self.left_out,
            ignored=self.ignored,
            listed=sorted(self.listed),
            private=self._private_tree(),
            head=head or "",
            branch=refs.current_branch(self.index.worktree) or "",
        )
        written = write_object(self.git, "blob", manifest.encode())
        entries.append(("blob", written, "manifest.json"))
        parents = [oid for oid in dict.fromkeys((base, head)) if oid]
        return make_commit(self.git, make_tree(self.git, entries), parents, "manyhands snapshot")

    def _scan(self) -> Census:
        if self.ignored:
            return scan(self.index.worktree)
        hidden = self._list("--ignored", "--directory")
        return scan(self.index.worktree, {path.rstrip(b"/") for path in hidden})

    def _list(self, *options: str) -> list[bytes]:
        return self.git.run("ls-files", "-z", "--others", "--exclude-standard", *options).records

    def _trees(self, contents: Census) -> list[TreeEntry]:
        display = Oid(self.git.run("write-tree").line)
        trees = [("tree", display, "display")]
        converts = raw.may_convert(self.found, contents.has_attributes)
        if not converts:
            return [*trees, ("tree", display, "raw")]
        store = raw.RawStore(self.git, self.found, self.kept / "raw")
        files = [e.path for e in self.index.entries() if e.mode != GITLINK]
        return [*trees, ("tree", store.tree("index", files), "raw")]

    def _private_tree(self) -> str:
        if self.ignored:
            files = [path for path in self._list("--ignored") if not path.endswith(b"/")]
        else:
            files = [os.fsencode(path) for path in self.listed]
        if not files and not self.ignored:
            return ""
        return require_private(self.private).tree(self._plain, self.found, files)

    @property
    def _plain(self) -> Git:
        """Git without the index of the snapshot itself."""
        return Git(self.index.worktree).having(WATCHFUL)

    def _nested(self, contents: Census) -> dict[str, Nested]:
        inner = {}
        for path in map(os.fsdecode, contents.repositories):
            place = self.index.worktree / path
            if nested.is_submodule(self.found, place):
                inner[path] = _snapshot_submodule(place, path, self.ignored, self.private)
            elif nested.size_of(place) > nested.PACK_LIMIT:
                self.left_out[path] = "an embedded repository that is too large to pack"
            else:
                store = require_private(self.private)
                inner[path] = Nested(packed=store.pack(self._plain, self.found, place))
        return inner


def _snapshot_submodule(place: Path, path: str, ignored: bool, private: Path | None) -> Nested:
    own = private_of_submodule(private, path) if private else None
    oid = make_snapshot(place, base=None, ignored=ignored, private=own)
    refs.set_ref(place, f"{NESTED_REF}/{oid}", oid, None)
    return Nested(snapshot=oid, git_file=os.fsdecode((place / ".git").read_bytes()))
