"""File locks across threads and processes, for what git cannot do in parallel.

A plain `flock`: waiting costs nothing, the system frees it with its last holder, and a git
that inherits the descriptor holds it on, even when we are killed in the middle.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path


def repository_lock(
    common_dir: Path, lock_dir: Path, *, shared: bool = False
) -> AbstractContextManager[int]:
    """The lock of the repository whose common git directory this is.

    Several may hold it `shared`: those who add what only they can name.
    """
    return file_lock(lock_dir / f"{_key(common_dir)}.lock", shared=shared)


def adding_lock(common_dir: Path, lock_dir: Path) -> AbstractContextManager[int]:
    """Held while git writes the entry of a new worktree."""
    return file_lock(lock_dir / f"{_key(common_dir)}-adding.lock")


def _key(common_dir: Path) -> str:
    return hashlib.sha256(os.fsencode(common_dir.resolve())).hexdigest()[:24]


@contextmanager
def file_lock(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[int]:
    """Hold the lock; gives its descriptor, which a child may inherit. Without `wait`, one that is
    held raises `BlockingIOError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, kind if wait else kind | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether somebody has the lock for himself now; a file that is not there nobody holds."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
