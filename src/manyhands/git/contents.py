"""What lies in a worktree besides what git records: modes, empty folders, specials, the ignored."""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.git.runner import Git


@dataclass
class Census:
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


def scan(root: Path, skipped: Container[bytes] = frozenset()) -> Census:
    """Everything below `root` but the paths in `skipped`; follows no link."""
    contents = Census()
    pending = [b""]
    while pending:
        folder = pending.pop()
        pending += _scan_folder(os.fsencode(root), folder, skipped, contents)
    return contents


def holds(root: Path, path: bytes) -> bool:
    """Whether git would find a file, link or repository there: not behind a link."""
    name = os.fsdecode(path)
    file = root / name
    if any((root / folder).is_symlink() for folder in folders(name)) or not os.path.lexists(file):
        return False
    return file.is_symlink() or not file.is_dir() or os.path.lexists(file / ".git")


def folders(path: str) -> Iterator[str]:
    """The folders that a path is in, the top one apart."""
    end = path.rfind("/")
    while end > 0:
        yield path[:end]
        end = path.rfind("/", 0, end)


def ignored_paths(worktree: Path, paths: Iterable[bytes]) -> set[bytes]:
    """Those of `paths` that git's ignore rules cover, whether tracked or not."""
    asked = b"".join(path + b"\0" for path in paths)
    if not asked:
        return set()
    # The command takes no magic at all, not even the one that switches magic off.
    git = Git(worktree).having(GIT_LITERAL_PATHSPECS="0")
    argv = ("check-ignore", "-z", "--stdin", "--no-index")
    return set(git.run(*argv, stdin=asked, fails_from=2).records)


def _scan_folder(
    root: bytes, folder: bytes, skipped: Container[bytes], contents: Census
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
        elif entry.is_symlink():
            contents.links.add(path)
        elif stat.S_ISFIFO(entry.stat(follow_symlinks=False).st_mode):
            contents.fifos[path] = _mode(entry)
        else:
            contents.strange.append(path)
    if folder and not found:
        contents.empty.append(folder.rstrip(b"/"))
    return below


def _mode(entry: os.DirEntry[bytes]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_mode & 0o7777
    except FileNotFoundError:
        return 0
