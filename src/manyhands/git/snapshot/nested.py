"""Repositories inside a worktree: an embedded one is packed, a submodule has its own store."""

from __future__ import annotations

import os
import tarfile
import tempfile
from pathlib import Path

from manyhands.git.refs import Repository, find_repository
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

PACK_LIMIT = 256 << 20


def is_submodule(worktree: Repository, path: Path) -> bool:
    """Whether the repository at `path` keeps its objects with the worktree's own repository."""
    inner = find_repository(path)
    return inner is not None and inner.common_dir.is_relative_to(worktree.common_dir)


def reconnect(path: Path, git_file: str) -> None:
    """Give a submodule back the `.git` file that someone deleted."""
    path.mkdir(parents=True, exist_ok=True)
    if not os.path.lexists(path / ".git"):
        (path / ".git").write_bytes(os.fsencode(git_file))


def size_of(path: Path) -> int:
    """Bytes of all files below `path`, links not followed."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(
        entry.lstat().st_size
        for folder, _, files in os.walk(path)
        for entry in (Path(folder, name) for name in files)
        if os.path.lexists(entry)
    )


def pack(git: Git, path: Path) -> Oid:
    """The directory with everything in it, its `.git` too, as one blob."""
    with tempfile.TemporaryDirectory(prefix="manyhands-") as scratch:
        file = Path(scratch, "packed")
        with tarfile.open(file, "w", format=tarfile.GNU_FORMAT) as archive:
            archive.add(path, arcname=".")
        return Oid(git.run("hash-object", "-w", "--no-filters", "--", file).line)


def unpack(git: Git, blob: str, path: Path) -> None:
    """Put a packed directory back, in place of what is there."""
    path.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile() as stream:
        stream.write(git.run("cat-file", "blob", blob).stdout)
        stream.seek(0)
        with tarfile.open(fileobj=stream) as archive:
            archive.extractall(path, filter="fully_trusted")
