"""The next snapshot from the last one and the paths that changed since: no file else is read.

Everything that single paths cannot tell (changed rules, repositories inside, names that are no
text, too much at once) is left to a whole snapshot, by giving no answer.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pygit2
from pygit2.enums import FileMode

from manyhands.errors import ManyhandsError
from manyhands.git import refs
from manyhands.git.contents import folders, ignored_paths
from manyhands.git.locks import file_lock
from manyhands.git.private_index import TAKE_IN, WATCHFUL, mark_of, update_index
from manyhands.git.refs import Repository
from manyhands.git.repository import open_repository
from manyhands.git.runner import Git
from manyhands.git.snapshot import raw
from manyhands.git.snapshot.manifest import Manifest
from manyhands.git.snapshot.parts import keep_index, load_listed
from manyhands.git.snapshot.private import require_private
from manyhands.git.tree_edit import MODES, TREE, Leaf, edited, files_below, leaf_at
from manyhands.model.ids import Oid

MOST = 2000
"""Paths from which on a whole snapshot is as quick."""
RULES = frozenset({".gitignore", ".gitattributes", ".gitmodules"})


class Last(msgspec.Struct, frozen=True):
    """What the kept directory remembers of the last snapshot."""

    oid: Oid
    base: Oid
    index: str
    """The mark of the agent's index then."""
    has_attributes: bool


class _Unclear(Exception):
    """Single paths cannot tell; a whole snapshot can."""


def set_last(kept: Path, last: Last) -> None:
    fresh = kept / "last.new"
    fresh.write_bytes(msgspec.json.encode(last))
    fresh.rename(kept / "last.json")


def load_last(kept: Path) -> Last | None:
    try:
        return msgspec.json.decode((kept / "last.json").read_bytes(), type=Last)
    except (OSError, msgspec.MsgspecError):
        return None


def forget_last(kept: Path) -> None:
    """The next one reads every file, and writes whatever is not there."""
    for name in ("last.json", "index", "index.seed"):
        (kept / name).unlink(missing_ok=True)
    shutil.rmtree(kept / "raw", ignore_errors=True)


def make_successor(
    worktree: Path,
    *,
    base: Oid | None,
    kept: Path,
    changed: Iterable[bytes],
    listed: Iterable[str] = (),
    private: Path | None = None,
) -> Oid | None:
    """The snapshot, durable; None where a whole one is needed."""
    with file_lock(kept / "index.guard"), tempfile.TemporaryDirectory(prefix="manyhands-") as place:
        last = load_last(kept)
        if last is None or last.base != (base or ""):
            return None
        try:
            succeeding = _Succeeding(worktree, last, kept, Path(place), private)
            succeeding.listed = load_listed(worktree, listed)
            made = succeeding.commit({os.fsdecode(path) for path in changed})
        except (_Unclear, ManyhandsError, pygit2.GitError, KeyError, OSError, UnicodeError):
            return None
        set_last(kept, made)
        return made.oid


@dataclass(frozen=True)
class _Found:
    """What is on disk at the paths in question."""

    files: dict[str, int]
    """Files and links to store, with their permission bits."""
    folders: dict[str, int]
    fifos: dict[str, int]
    gone: set[str]


class _Succeeding:
    def __init__(
        self, worktree: Path, last: Last, kept: Path, scratch: Path, private: Path | None
    ) -> None:
        self.worktree, self.last, self.kept, self.scratch = worktree, last, kept, scratch
        self.found: Repository = refs.require_worktree(worktree)
        self.git = Git(worktree).having(WATCHFUL | refs.DURABLE)
        self.repo = open_repository(worktree)
        top = self.repo[last.oid].peel(pygit2.Tree)
        self.parts = {str(e.name): Leaf(e.filemode, Oid(str(e.id))) for e in top}
        self.display = self.parts["display"].oid
        manifest = self.repo[self.parts["manifest.json"].oid].peel(pygit2.Blob)
        self.manifest = Manifest.decode(manifest.data)
        self.listed: dict[str, int] = {}
        self.private = private
        if self.manifest.nested or self.manifest.ignored:
            raise _Unclear

    def commit(self, changed: set[str]) -> Last:
        mark = mark_of(self.found.git_dir / "index")
        with ThreadPoolExecutor() as pool:
            moved = mark != self.last.index
            indexed = pool.submit(keep_index, self.git, self.found, self.scratch) if moved else None
            tracked = self._index_changes() if moved else {}
            found = self._survey({*changed, *tracked}, tracked)
            parts = self._trees(found)
            agents = indexed.result() if indexed else None
        if agents is not None:
            if agents.broken:
                raise _Unclear
            kept = {n: part for n, part in self.parts.items() if n in ("display", "raw")}
            named = {name: Leaf(int(MODES[k], 8), oid) for k, oid, name in agents.entries}
            self.parts = kept | named
        manifest = self._manifest(found)
        blob = Oid(str(self.repo.create_blob(manifest.encode())))
        self.parts |= {**parts, "manifest.json": Leaf(0o100644, blob)}
        return Last(self._commit(manifest), self.last.base, mark, self.last.has_attributes)

    def _index_changes(self) -> dict[str, bool]:
        """Paths on which the agent's index and the last snapshot differ; whether it has them."""
        options = ("--cached", "--no-renames", "-z", "--name-status")
        said = self.git.run("diff-index", *options, self.display).records
        return {
            os.fsdecode(path): status[:1] != b"D"
            for status, path in zip(said[0::2], said[1::2], strict=True)
        }

    def _survey(self, paths: set[str], tracked: dict[str, bool]) -> _Found:
        if any(p.rpartition("/")[2] in RULES for p in paths):
            raise _Unclear
        found = _Found({}, {}, {}, set())
        pending = {p for p in paths if p and ".git" not in p.split("/")}
        pending |= {q for p in pending for q in files_below(self.repo, self.display, p)}
        seen: set[str] = set()
        while pending:
            seen |= pending
            if len(seen) > MOST:
                raise _Unclear
            pending = self._note(pending, tracked, found) - seen
        for path in seen:
            for above in folders(path):
                self._note_folder(above, found)
        return found

    def _note(self, paths: set[str], tracked: dict[str, bool], found: _Found) -> set[str]:
        """Notes what is there; gives what lies in folders that are new."""
        modes = {path: self._mode(path) for path in paths}
        unknown = [p for p, mode in modes.items() if mode and self._is_asked(p, tracked)]
        hidden = set(map(os.fsdecode, ignored_paths(self.worktree, map(os.fsencode, unknown))))
        inside: set[str] = set()
        for path, mode in modes.items():
            if mode is None or path in hidden:
                found.gone.add(path)
            elif stat.S_ISDIR(mode):
                inside |= self._enter(path, mode, found)
            elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):
                found.files[path] = stat.S_IMODE(mode) if stat.S_ISREG(mode) else -1
            elif stat.S_ISFIFO(mode):
                found.fifos[path] = stat.S_IMODE(mode)
                found.gone.add(path)
            else:
                raise _Unclear
        return inside

    def _is_asked(self, path: str, tracked: dict[str, bool]) -> bool:
        """Ignore rules are for what git does not track."""
        if path in tracked:
            return not tracked[path]
        return leaf_at(self.repo, self.display, path) is None

    def _enter(self, path: str, mode: int, found: _Found) -> set[str]:
        names = self._names(path)
        if ".git" in names:
            raise _Unclear
        found.folders[path] = stat.S_IMODE(mode)
        known = leaf_at(self.repo, self.display, path)
        if known is not None and known.mode != TREE:
            found.gone.add(path)
        # In a folder that was watched, each change has been told by itself.
        return set() if known is not None and known.mode == TREE else {f"{path}/{n}" for n in names}

    def _note_folder(self, path: str, found: _Found) -> None:
        mode = self._mode(path)
        if mode is not None and stat.S_ISDIR(mode):
            if os.path.lexists(self.worktree / path / ".git"):
                raise _Unclear
            found.folders[path] = stat.S_IMODE(mode)

    def _names(self, folder: str) -> list[str]:
        return [entry.name for entry in (self.worktree / folder).iterdir()]

    def _mode(self, path: str) -> int | None:
        """None also for what lies behind a link, which is not in the worktree."""
        if any((self.worktree / above).is_symlink() for above in folders(path)):
            return None
        try:
            return (self.worktree / path).lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _trees(self, found: _Found) -> dict[str, Leaf]:
        display = self._tree(self.display, found, self.git, "display")
        converts = raw.may_convert(self.found, self.last.has_attributes)
        if not converts and self.parts["raw"] != self.parts["display"]:
            raise _Unclear
        trees = {"display": display, "raw": display}
        self.parts.pop("ignored", None)
        if converts:
            store = raw.RawStore(self.git, self.found, self.kept / "raw")
            trees["raw"] = self._tree(self.parts["raw"].oid, found, store.git, "raw")
        return trees

    def _private_tree(self) -> str:
        if not self.listed:
            return ""
        files = map(os.fsencode, self.listed)
        return require_private(self.private).tree(self.git, self.found, files)

    def _tree(self, tree: Oid, found: _Found, git: Git, name: str) -> Leaf:
        """Git stores the files by a small index that knows what was stored for them before."""
        file = self.scratch / name
        index = pygit2.Index(str(file))
        for path in found.files:
            known = leaf_at(self.repo, tree, path)
            if known is not None and known.mode != TREE:
                index.add(pygit2.IndexEntry(path, pygit2.Oid(hex=known.oid), FileMode(known.mode)))
        index.write()
        own = git.having(GIT_INDEX_FILE=file)
        update_index(own, *TAKE_IN, paths=map(os.fsencode, found.files))
        index.read(force=True)
        stored: dict[str, Leaf | None] = {e.path: Leaf(e.mode, Oid(str(e.id))) for e in index}
        gone = {path: None for path in found.gone | found.files.keys() if path not in stored}
        return Leaf(TREE, edited(self.repo, tree, gone | stored))

    def _manifest(self, found: _Found) -> Manifest:
        """The last one's share of what was not read, and what was found of the rest."""
        was = self.manifest
        read = found.files.keys() | found.folders.keys() | found.fifos.keys() | found.gone
        below = tuple(f"{path}/" for path in found.gone)

        def stays(path: str) -> bool:
            return path not in read and not path.startswith(below)

        modes = {p: m for p, m in was.modes.items() if stays(p) and p not in was.listed}
        modes |= self.listed
        for path, mode in found.files.items():
            usual = was.program_mode if mode & 0o100 else was.file_mode
            if mode not in (-1, usual):
                modes[path] = mode
        barren, hidden = self._barren(found)
        shown = {p: mode for p, mode in found.folders.items() if p not in hidden}
        modes |= {p: mode for p, mode in shown.items() if mode != was.folder_mode}
        empty = {path for path in was.empty if stays(path)}
        return replace(
            was,
            modes=modes,
            empty=sorted(empty | barren),
            fifos={p: mode for p, mode in was.fifos.items() if stays(p)} | found.fifos,
            left_out={p: why for p, why in was.left_out.items() if stays(p)},
            listed=sorted(self.listed),
            private=self._private_tree(),
            head="" if self.repo.head_is_unborn else str(self.repo.head.target),
            branch=refs.current_branch(self.worktree) or "",
        )

    def _barren(self, found: _Found) -> tuple[set[str], set[str]]:
        """Folders with nothing in them, and those with nothing but what is ignored."""
        inside = {folder: self._names(folder) for folder in found.folders}
        empty = {folder for folder, names in inside.items() if not names}
        paths = {f: [f"{f}/{n}" for n in inside[f]] for f in found.folders if f not in empty}
        bare = {f: p for f, p in paths.items() if not any(self._counts(x, found) for x in p)}
        asked = [os.fsencode(path) for inner in bare.values() for path in inner]
        hidden = set(map(os.fsdecode, ignored_paths(self.worktree, asked)))
        return empty, {folder for folder, inner in bare.items() if hidden.issuperset(inner)}

    def _counts(self, path: str, found: _Found) -> bool:
        if path in found.files or path in found.fifos:
            return True
        return path not in found.gone and leaf_at(self.repo, self.display, path) is not None

    def _commit(self, manifest: Manifest) -> Oid:
        builder = self.repo.TreeBuilder()
        for name, leaf in self.parts.items():
            builder.insert(name, leaf.oid, leaf.mode)
        who = pygit2.Signature("Manyhands", "manyhands@localhost")
        parents = [oid for oid in dict.fromkeys((self.last.base, Oid(manifest.head))) if oid]
        made = self.repo.create_commit(
            None, who, who, "manyhands snapshot", builder.write(), list(parents)
        )
        return Oid(str(made))
