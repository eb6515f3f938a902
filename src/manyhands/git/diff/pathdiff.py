"""The diff of one path against the base, fast enough for every save: no process, cached blobs.

Agrees with `diff_worktree` (renames apart: one path knows no other). What only git can tell,
filtered and very large files and submodules, is asked of git.
"""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from pathlib import Path

import pygit2
from pygit2.enums import DiffOption, FileMode

from manyhands.errors import BadInput
from manyhands.git.contents import folders, ignored_paths
from manyhands.git.diff import side
from manyhands.git.diff.diff import FILE_LIMIT, diff_worktree, shown
from manyhands.git.diff.generated import ATTRIBUTE, is_generated
from manyhands.git.diff.side import LINK, PROGRAM, REGULAR, Side, patch_header, status
from manyhands.git.repository import load_values, open_repository
from manyhands.model.ids import Oid
from manyhands.model.workspace.diff import FileDiff

CACHE_BYTES = 8 << 20
HUGE = 4 << 20
"""Over this many bytes git does the counting."""


class PathDiffer:
    """Not for several threads at once."""

    def __init__(self, worktree: Path, base: Oid) -> None:
        self._worktree = worktree
        self._base = base
        self._repository = open_repository(worktree)
        self._tree = self._repository[base].peel(pygit2.Tree)
        self._blobs = _BlobCache()
        self._modes_count, self._autocrlf = _load_conversions(worktree)

    def change(self, path: str | bytes) -> FileDiff | None:
        """How the path differs from the base; None if it does not."""
        return self._compare(_checked(path), patch=False)[0]

    def draw(self, path: str | bytes) -> tuple[FileDiff | None, str]:
        """The same with its patch as git writes it, from one reading."""
        return self._compare(_checked(path), patch=True)

    def _compare(self, name: bytes, *, patch: bool) -> tuple[FileDiff | None, str]:
        if self._needs_git(name):
            return self._by_git(name, patch=patch)
        old, new = self._sides(name)
        if old == new:
            return None, ""
        if patch and max(len(old.content), len(new.content)) > FILE_LIMIT:
            return self._by_git(name, patch=True)
        drawn = self._draw(name, old, new)
        file = self._file(name, old, new, drawn)
        return file, self._patch(name, old, new, drawn) if patch else ""

    def _file(self, name: bytes, old: Side, new: Side, drawn: pygit2.Patch) -> FileDiff:
        binary = bool(drawn.delta.is_binary)
        _, added, removed = (0, 0, 0) if binary else drawn.line_stats
        return FileDiff(
            path=shown(name),
            status=status(old, new),
            added=added,
            removed=removed,
            binary=binary,
            old_mode=old.mode,
            new_mode=new.mode,
            omitted=max(len(old.content), len(new.content)) > FILE_LIMIT and not binary,
            old_blob=Oid(old.oid if old.mode else ""),
            new_blob=Oid(new.oid if new.mode else ""),
        )

    def stored(self, path: str | bytes) -> Side | None:
        """What git would store for the path; None where only git itself can tell."""
        name = _checked(path)
        return None if self._needs_git(name) else self._sides(name)[1]

    def is_generated(self, path: str | bytes) -> bool:
        name = _checked(path)
        return is_generated(os.fsdecode(name), self._attributes(name)(ATTRIBUTE))

    def _patch(self, name: bytes, old: Side, new: Side, drawn: pygit2.Patch) -> str:
        steps = [(old, new, drawn)]
        if status(old, new) == "typechange":
            both = ((old, Side()), (Side(), new))
            steps = [(a, b, self._draw(name, a, b)) for a, b in both]
        return b"".join(_section(name, *step) for step in steps).decode("utf-8", "replace")

    def is_ignored(self, path: str | bytes) -> bool:
        """Whether the ignore rules cover the path and nothing tracks it."""
        raw = _checked(path)
        try:
            covered = self._repository.path_is_ignored(raw.decode())
        except UnicodeDecodeError:
            covered = bool(ignored_paths(self._worktree, [raw]))
        if not covered:
            return False
        index = self._repository.index
        index.read(False)
        return os.fsdecode(raw) not in index

    def _sides(self, name: bytes) -> tuple[Side, Side]:
        old = self._old(name)
        new = self._new(name, old)
        if old.mode is None and new.mode is not None and self.is_ignored(name):
            return old, old
        return old, new

    def _old(self, name: bytes) -> Side:
        entry = self._entry(name)
        if not isinstance(entry, pygit2.Blob):
            return Side()
        return Side(f"{entry.filemode:06o}", self._blobs.content(entry))

    def _new(self, name: bytes, old: Side) -> Side:
        info = self._state(name)
        if info is None:
            return Side()
        file = self._worktree / os.fsdecode(name)
        try:
            if stat.S_ISLNK(info.st_mode):
                return Side(LINK, os.fsencode(file.readlink()))
            content = file.read_bytes()
        except FileNotFoundError:
            return Side()
        mode = PROGRAM if info.st_mode & 0o100 else REGULAR
        if not self._modes_count:
            mode = old.mode if old.mode in (PROGRAM, REGULAR) else REGULAR
        before = old.content if old.mode in (PROGRAM, REGULAR) else None
        attribute = self._attributes(name)
        return Side(mode, side.to_git(content, attribute, self._autocrlf, before))

    def _state(self, name: bytes) -> os.stat_result | None:
        """The file's state if git would see a file or link there."""
        path = os.fsdecode(name)
        try:
            for place in (self._worktree / folder for folder in folders(path)):
                if place.is_symlink() or os.path.lexists(place / ".git"):
                    return None
            info = (self._worktree / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return info if stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode) else None

    def _needs_git(self, name: bytes) -> bool:
        file = self._worktree / os.fsdecode(name)
        if file.is_dir() and not file.is_symlink():
            return os.path.lexists(file / ".git") or self._is_submodule(name)
        info = self._state(name)
        if info is not None and info.st_size > HUGE:
            return True
        return self._is_submodule(name) or side.needs_git(self._attributes(name))

    def _is_submodule(self, name: bytes) -> bool:
        entry = self._entry(name)
        return entry is not None and entry.filemode == FileMode.COMMIT

    def _entry(self, name: bytes) -> pygit2.Object | None:
        try:
            return self._tree[os.fsdecode(name)]
        except KeyError:
            return None

    def _attributes(self, name: bytes) -> side.Attribute:
        return lambda attribute: self._repository.get_attr(name, attribute)

    def _by_git(self, name: bytes, *, patch: bool) -> tuple[FileDiff | None, str]:
        if self._entry(name) is None and self.is_ignored(name):
            return None, ""
        diff = diff_worktree(self._worktree, self._base, patch=patch, renames=False, paths=[name])
        return next(iter(diff.files), None), diff.patch

    def _draw(self, name: bytes, old: Side, new: Side) -> pygit2.Patch:
        flags = DiffOption.INDENT_HEURISTIC
        # Git asks for the attribute of files only, never of links.
        is_file = {old.mode, new.mode} & {PROGRAM, REGULAR}
        kind = self._attributes(name)("diff") if is_file else None
        if kind is False:
            flags |= DiffOption.FORCE_BINARY
        elif kind is not None:
            flags |= DiffOption.FORCE_TEXT
        path = shown(name)
        return pygit2.Patch.create_from(
            old.content if old.mode else None,
            new.content if new.mode else None,
            old_as_path=path,
            new_as_path=path,
            flag=flags,
        )


def _section(name: bytes, old: Side, new: Side, drawn: pygit2.Patch) -> bytes:
    hunks = drawn.data.partition(b"\n@@ ")
    body = b"@@ " + hunks[2] if hunks[1] else b""
    return patch_header(name, old, new, bool(drawn.delta.is_binary), bool(body)) + body


def _load_conversions(worktree: Path) -> tuple[bool, str]:
    """Whether modes of files count, and what is done to the ends of their lines."""
    values = load_values(worktree, "core.filemode", "core.autocrlf")
    modes = values.get("core.filemode", "true").lower() not in ("false", "no", "off", "0", "")
    return modes, values.get("core.autocrlf", "")


def _checked(path: str | bytes) -> bytes:
    name = os.fsencode(path)
    parts = name.split(b"/")
    if b"\0" in name or any(
        part in (b"", b".", b"..") or part.lower() == b".git" for part in parts
    ):
        raise BadInput(f"{shown(name)} is not a path inside the worktree")
    return name


class _BlobCache:
    """Contents of base blobs, the least recently used given up first."""

    def __init__(self) -> None:
        self._held = 0
        self._contents: OrderedDict[str, bytes] = OrderedDict()

    def content(self, blob: pygit2.Blob) -> bytes:
        key = str(blob.id)
        if key in self._contents:
            self._contents.move_to_end(key)
            return self._contents[key]
        data = blob.data
        if len(data) <= CACHE_BYTES // 4:
            self._contents[key] = data
            self._held += len(data)
        while self._held > CACHE_BYTES:
            self._held -= len(self._contents.popitem(last=False)[1])
        return data
