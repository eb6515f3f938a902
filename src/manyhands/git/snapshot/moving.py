"""Old snapshots, which held ignored files in the repository itself, get them a private store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from manyhands.git import refs
from manyhands.git.objects import write_object
from manyhands.git.runner import Git
from manyhands.git.snapshot.parts import load_snapshot
from manyhands.git.snapshot.private import PrivateStore
from manyhands.git.tree_edit import TreeEntry, make_commit, make_tree
from manyhands.model.ids import Oid

_HELD = ("ignored", "nested")
"""Parts of a snapshot that lie in a private store now."""
_KINDS = ("checkpoints", "undo")
_MESSAGE = "manyhands snapshot"
_FORM = "--format=%H%x00%s%x00%P"


def find_held(repo: Path) -> dict[str, Oid]:
    """The refs that keep ignored files in the repository, with what they are at."""
    known = {name: oid for kind in _KINDS for name, oid in refs.private_refs(repo, kind).items()}
    git = Git(repo)
    tips = _snapshots(git, known.values())
    # What a rewind overwrote is a child of what it went back to.
    before = _snapshots(git, (parent for found in tips.values() for parent in found))
    held = _holding(git, {*tips, *before})
    return {
        name: oid
        for name, oid in known.items()
        if oid in held or not held.isdisjoint(tips.get(oid, ()))
    }


def _snapshots(git: Git, commits: Iterable[Oid]) -> dict[Oid, list[Oid]]:
    """Those that are snapshots, with their parents."""
    asked = "".join(f"{oid}\n" for oid in sorted(set(commits))).encode()
    if not asked:
        return {}
    said = git.run("log", "--no-walk", "--stdin", _FORM, stdin=asked).stdout.decode()
    lines = [line.split("\0") for line in said.splitlines()]
    return {
        Oid(oid): [Oid(parent) for parent in parents.split()]
        for oid, subject, parents in lines
        if subject == _MESSAGE
    }


def _holding(git: Git, snapshots: set[Oid]) -> set[Oid]:
    asked = [(oid, part) for oid in sorted(snapshots) for part in _HELD]
    if not asked:
        return set()
    lines = "".join(f"{oid}:{part}\n" for oid, part in asked).encode()
    said = git.run("cat-file", "--batch-check", stdin=lines).stdout.decode().splitlines()
    return {oid for (oid, _), line in zip(asked, said, strict=True) if " tree " in line}


def session_of(ref: str) -> str:
    """`refs/manyhands/<kind>/<session>…`"""
    return ref.split("/")[3]


def move_out(repo: Path, ref: str, oid: Oid, private: Path) -> None:
    """Put what the snapshot holds of ignored files into the store, and one without them in its
    place. Harmless to repeat."""
    git = Git(repo).having(refs.DURABLE)
    refs.set_ref(repo, ref, _Moving(repo, git, PrivateStore(private)).moved(oid), oid)


@dataclass(frozen=True)
class _Moving:
    repo: Path
    git: Git
    store: PrivateStore

    def moved(self, oid: Oid) -> Oid:
        """The snapshot that takes the place of this one; itself where there is no need."""
        if (now := self.store.current(oid)) != oid:
            return now
        parents = _snapshots(self.git, [oid]).get(oid, [])
        before = _snapshots(self.git, parents)
        fresh = [self.moved(parent) if parent in before else parent for parent in parents]
        if fresh == parents and not _holding(self.git, {oid}):
            return oid
        made = make_commit(self.git, self._tree(oid), fresh, _MESSAGE)
        self.store.set_current(oid, made)
        return made

    def _tree(self, oid: Oid) -> Oid:
        """The same without what is put into the store."""
        old = load_snapshot(self.repo, oid)
        held = "" if old.manifest.private else old.parts.get("ignored", "")
        kept = [held, *(n.packed for n in old.manifest.nested.values() if "nested" in old.parts)]
        self.store.take_in(self.git, refs.require_repository(self.repo), kept)
        manifest = replace(old.manifest, private=old.manifest.private or held)
        blob = write_object(self.git, "blob", manifest.encode())
        entries: list[TreeEntry] = [("blob", Oid(blob), "manifest.json")]
        for record in self.git.run("ls-tree", "-z", oid).records:
            meta, name = record.split(b"\t", 1)
            kind, own = meta.decode().split(" ")[1:3]
            if name.decode() not in (*_HELD, "manifest.json"):
                entries.append((kind, Oid(own), name.decode()))
        return make_tree(self.git, entries)
