"""What lies in a worktree besides what git records: modes, empty folders, specials."""

from __future__ import annotations

import os
import stat
from collections.abc import Container
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Contents:
    """Paths below the worktree's root, as bytes; modes are permission bits."""

    files: dict[bytes, int] = field(default_factory=dict)
    folders: dict[bytes, int] = field(default_factory=dict)
    empty: list[bytes] = field(default_factory=list)
    """Folders in which nothing was found."""
    links: set[bytes] = field(default_factory=set)
    fifos: dict[bytes, int] = field(default_factory=dict)
    strange: list[bytes] = field(default_factory=list)
    """Sockets and devices, and folders that cannot be read."""
    repositories: list[bytes] = field(default_factory=list)
    """Repositories inside the worktree; not entered."""

    @property
    def has_attributes(self) -> bool:
        return any(path.endswith(b".gitattributes") for path in self.files)


def scan(root: Path, skipped: Container[bytes] = frozenset()) -> Contents:
    """Look at everything below `root` but the paths in `skipped`; follows no link."""
    contents = Contents()
    pending = [b""]
    while pending:
        folder = pending.pop()
        pending += _scan_folder(os.fsencode(root), folder, skipped, contents)
    return contents


def holds(root: Path, path: bytes) -> bool:
    """Whether git would find a file, link or repository there: not behind a link."""
    file = root / os.fsdecode(path)
    above = list(Path(os.fsdecode(path)).parents)[:-1]
    if any((root / folder).is_symlink() for folder in above) or not os.path.lexists(file):
        return False
    return file.is_symlink() or not file.is_dir() or os.path.lexists(file / ".git")


def _scan_folder(
    root: bytes, folder: bytes, skipped: Container[bytes], contents: Contents
) -> list[bytes]:
    try:
        entries = list(os.scandir(root + b"/" + folder))
    except OSError:
        contents.strange.append(folder.rstrip(b"/"))
        return []
    if folder and any(entry.name == b".git" for entry in entries):
        contents.repositories.append(folder.rstrip(b"/"))
        return []
    below = []
    found = False
    for entry in entries:
        path = folder + entry.name
        if path in skipped or path == b".git":
            continue
        found = True
        if entry.is_file(follow_symlinks=False):
            contents.files[path] = _mode(entry)
        elif entry.is_dir(follow_symlinks=False):
            contents.folders[path] = _mode(entry)
            below.append(path + b"/")
        else:
            _note_special(path, entry, contents)
    if folder and not found:
        contents.empty.append(folder.rstrip(b"/"))
    return below


def _mode(entry: os.DirEntry[bytes]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_mode & 0o7777
    except FileNotFoundError:
        return 0


def _note_special(path: bytes, entry: os.DirEntry[bytes], contents: Contents) -> None:
    if entry.is_symlink():
        contents.links.add(path)
    elif stat.S_ISFIFO(entry.stat(follow_symlinks=False).st_mode):
        contents.fifos[path] = _mode(entry)
    else:
        contents.strange.append(path)
