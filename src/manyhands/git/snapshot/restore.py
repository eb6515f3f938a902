"""Putting a snapshot back: bytes, modes and links as they were, extras gone, the index too.

Ignored files stay as they are unless the snapshot holds them; so do files that its own rules
ignore, what it had to leave out, and HEAD. What is there now is kept by a ref first.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import NotPossible
from manyhands.git import refs, worktrees
from manyhands.git.contents import Census, holds, ignored_paths, scan
from manyhands.git.diff.diff import shown
from manyhands.git.private_index import GITLINK
from manyhands.git.runner import Git
from manyhands.git.snapshot import nested
from manyhands.git.snapshot.parts import Snapshot, load_snapshot
from manyhands.git.snapshot.private import PrivateStore, private_of_submodule
from manyhands.git.snapshot.raw import RawStore
from manyhands.git.snapshot.snapshot import keep_snapshot
from manyhands.git.tree_edit import make_tree
from manyhands.model.ids import Oid

_ABSENT, _PROGRAM = b"000000", b"100755"
OURS = b"manyhands restore\n"
"""What our own lock on an index says."""
_PARTS = ("raw", "ignored")


def restore_snapshot(
    repo: Path, worktree: Path, snapshot: Oid, *, undo_ref: str, private: Path | None = None
) -> Oid:
    """Make the worktree what it was; gives the snapshot of what it is now, kept by `undo_ref`.

    `private` has what the snapshot keeps outside the repository, and gets what is there now.
    """
    worktrees.reconnect(repo, worktree)
    target = load_snapshot(repo, snapshot, private)
    with _index_lock(worktree) as lock, tempfile.TemporaryDirectory(prefix="manyhands-") as place:
        restoring = _Restoring(worktree, target, Path(place), private)
        undo = restoring.keep_present(undo_ref)
        restoring.see_again()
        restoring.run(load_snapshot(worktree, undo, private))
        restoring.put_index(lock)
    return undo


@contextlib.contextmanager
def _index_lock(worktree: Path) -> Iterator[Path]:
    """Git's own lock on the agent's index; one of ours is left from a kill and taken over."""
    lock = refs.require_worktree(worktree).git_dir / "index.lock"
    try:
        with lock.open("xb") as stream:
            stream.write(OURS)
    except FileExistsError as error:
        if lock.read_bytes() != OURS:
            hint = f"wait for it, or remove {lock} if no git is running"
            raise NotPossible(f"git is at work in {worktree}", hint=hint) from error
    try:
        yield lock
    finally:
        lock.unlink(missing_ok=True)


@dataclass(frozen=True)
class _Changes:
    written: dict[str, list[bytes]]
    """By part of the snapshot."""
    removed: set[bytes]


class _Restoring:
    def __init__(self, worktree: Path, target: Snapshot, place: Path, private: Path | None) -> None:
        self.worktree, self.target, self.private = worktree, target, private
        plain = Git(worktree)
        self.git = PrivateStore(private).seen_by(plain) if private else plain
        self.store = RawStore(self.git, refs.require_worktree(worktree), place)
        self.wanted = self._wanted()

    def see_again(self) -> None:
        """The store may only now be there."""
        if self.private:
            self.git = PrivateStore(self.private).seen_by(self.git)

    def _wanted(self) -> dict[bytes, bytes]:
        """Every file of the snapshot, with its mode in the tree."""
        wanted = {}
        for part in self._parts():
            listed = self.git.run("ls-tree", "-r", "-z", self.target.parts[part]).records
            for meta, path in (record.split(b"\t", 1) for record in listed):
                wanted[path] = meta.split(b" ")[0]
        return {path: mode for path, mode in wanted.items() if mode != GITLINK}

    def _parts(self) -> list[str]:
        return [part for part in _PARTS if part in self.target.parts]

    def keep_present(self, ref: str) -> Oid:
        """Also what is ignored by now and about to be overwritten."""
        hidden = ignored_paths(self.worktree, filter(self._is_file, self.wanted))
        links = {path for path in hidden if (self.worktree / os.fsdecode(path)).is_symlink()}
        return keep_snapshot(
            self.worktree,
            ref,
            base=self.target.oid,
            ignored=self.target.manifest.ignored,
            listed={*self.target.manifest.listed, *map(os.fsdecode, hidden - links)},
            including=links,
            private=self.private,
        )

    def _is_file(self, path: bytes) -> bool:
        file = self.worktree / os.fsdecode(path)
        return holds(self.worktree, path) and (file.is_symlink() or file.is_file())

    def run(self, current: Snapshot) -> None:
        changes = self._changes(current)
        self._require_room(changes)
        _open_up(self.worktree)
        self._write(changes, only_rules=True)
        self._remove(current, changes.removed - self._protected(changes.removed))
        self._write(changes, only_rules=False)
        self._put_nested(current)
        self._put_specials()
        self._tidy(scan(self.worktree))
        self._set_modes(scan(self.worktree))

    def _changes(self, current: Snapshot) -> _Changes:
        written: dict[str, list[bytes]] = {part: [] for part in self._parts()}
        removed: set[bytes] = set()
        options = ("-r", "-z", "--raw", "--no-renames")
        for part, paths in written.items():
            trees = (current.parts.get(part) or make_tree(self.git, []), self.target.parts[part])
            records = self.git.run("diff-tree", *options, *trees).records
            for meta, path in zip(records[0::2], records[1::2], strict=True):
                old, new = meta.lstrip(b":").split(b" ")[:2]
                if new not in (_ABSENT, GITLINK):
                    paths.append(path)
                elif old not in (_ABSENT, GITLINK):
                    removed.add(path)
        return _Changes(written, removed - self.wanted.keys())

    def _require_room(self, changes: _Changes) -> None:
        """No folder that must become a file may hold what we do not know."""
        known = changes.removed | self.wanted.keys()
        for path in (path for paths in changes.written.values() for path in paths):
            folder = self.worktree / os.fsdecode(path)
            if not folder.is_dir() or folder.is_symlink():
                continue
            inside = scan(folder)
            found = [*inside.files, *inside.links, *inside.repositories, *inside.strange]
            foreign = [name for name in found if path + b"/" + name not in known]
            if foreign:
                name = shown(path + b"/" + foreign[0])
                raise NotPossible(f"{name} is not in any snapshot and in the way of {shown(path)}")

    def _write(self, changes: _Changes, *, only_rules: bool) -> None:
        for part, paths in changes.written.items():
            chosen = [p for p in paths if not only_rules or _is_rule(p)]
            self.store.write(self.target.parts[part], chosen)

    def _protected(self, removed: set[bytes]) -> set[bytes]:
        """Ignored by the snapshot's rules, so that it could not have held them."""
        kept = {os.fsencode(path) for path in self.target.manifest.left_out}
        if not self.target.manifest.ignored:
            kept |= ignored_paths(self.worktree, removed)
        return kept

    def _remove(self, current: Snapshot, removed: set[bytes]) -> None:
        fifos = set(current.manifest.fifos) - set(self.target.manifest.fifos)
        for path in [*map(os.fsdecode, removed), *fifos]:
            (self.worktree / path).unlink(missing_ok=True)

    def _put_nested(self, current: Snapshot) -> None:
        then, now = self.target.manifest.nested, current.manifest.nested
        for path in sorted({*then, *now}):
            place = self.worktree / path
            if path in now and now[path].packed and now[path] != then.get(path):
                shutil.rmtree(place)
            if path not in then:
                continue
            if then[path].packed and then[path] != now.get(path):
                nested.unpack(self.git, then[path].packed, place)
            elif then[path].snapshot:
                nested.reconnect(place, then[path].git_file)
                ref = f"refs/manyhands/undo/{current.oid}"
                own = private_of_submodule(self.private, path) if self.private else None
                inner = Oid(then[path].snapshot)
                restore_snapshot(place, place, inner, undo_ref=ref, private=own)

    def _put_specials(self) -> None:
        for path in self.target.manifest.empty:
            (self.worktree / path).mkdir(parents=True, exist_ok=True)
        for path, mode in self.target.manifest.fifos.items():
            file = self.worktree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(file):
                os.mkfifo(file)
            file.chmod(mode)

    def _tidy(self, contents: Census) -> None:
        """Folders that the removals left empty go, with what is empty above them."""
        meant = set(map(os.fsencode, self.target.manifest.empty))
        for path in contents.empty:
            while path and path not in meant:
                try:
                    (self.worktree / os.fsdecode(path)).rmdir()
                except OSError:
                    break
                path = path.rpartition(b"/")[0]

    def _set_modes(self, contents: Census) -> None:
        manifest = self.target.manifest
        for path, mode in contents.files.items():
            name = os.fsdecode(path)
            right = manifest.mode(name, program=self.wanted.get(path) == _PROGRAM)
            if path in self.wanted and mode != right:
                (self.worktree / name).chmod(right)
        for path, mode in sorted(contents.folders.items(), reverse=True):
            right = manifest.modes.get(os.fsdecode(path), manifest.folder_mode)
            if mode != right:
                (self.worktree / os.fsdecode(path)).chmod(right)

    def put_index(self, lock: Path) -> None:
        if "index" in self.target.parts:
            blob = self.git.run("cat-file", "blob", self.target.parts["index"]).stdout
            lock.write_bytes(blob)
            lock.rename(lock.with_name("index"))


def _is_rule(path: bytes) -> bool:
    return path.rpartition(b"/")[2] == b".gitignore"


def _open_up(worktree: Path) -> None:
    """Folders that we may not write to get their modes back at the end."""
    for path, mode in sorted(scan(worktree).folders.items()):
        if mode & 0o700 != 0o700:
            (worktree / os.fsdecode(path)).chmod(mode | 0o700)
