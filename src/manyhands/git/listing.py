"""The files of a worktree as a person means them: tracked or new, and not ignored."""

from __future__ import annotations

from pathlib import Path

from manyhands.git.runner import Git

MOST_BYTES = 4 * 1024 * 1024
_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")


def list_files(worktree: Path, most: int) -> tuple[list[bytes], bool]:
    """Paths in order, without those that were deleted, and whether some were left out."""
    git = Git(worktree)
    found = git.run(*_LIST, limit=MOST_BYTES)
    gone = set(git.run("ls-files", "-z", "--deleted", limit=MOST_BYTES).records)
    records = found.records[:-1] if found.cut else found.records
    paths = sorted(path for path in records if path not in gone)
    return paths[:most], found.cut or len(paths) > most


def is_listed(worktree: Path, path: bytes) -> bool:
    return path in Git(worktree).run(*_LIST, "--", path).records
