"""The end of what was in the trash: files, git's part of the worktree, private refs, the branch.

Each step is harmless to repeat. Links are unlinked and never followed, another file system is
never entered, and the branch goes only if it is still where the plan saw it.
"""

from __future__ import annotations

import os
from pathlib import Path

from manyhands.errors import NotPossible
from manyhands.git import refs, trash, worktrees
from manyhands.git.runner import Git
from manyhands.model.ids import Oid, SessionId


def purge(
    repo: Path, worktree: Path, trash_path: Path, *, session: SessionId, rescue: bool
) -> None:
    """Remove what `trash.to_trash` put away; `rescue` says whether its rescue ref goes too."""
    record = trash.load_record(trash_path)
    if trash_path.is_symlink():
        raise NotPossible(f"{trash_path} is a symbolic link, not the worktree that was put there")
    if record is not None and record.session != session:
        raise NotPossible(f"{trash_path} belongs to session {record.session}")
    if trash_path.is_dir():
        remove_tree(trash_path)
    if record is not None:
        _forget_worktree(repo, worktree, Path(record.admin))
        trash.record_file(trash_path).unlink(missing_ok=True)
    drop_private_refs(repo, session, rescue=rescue)


def drop_private_refs(repo: Path, session: SessionId, *, rescue: bool) -> None:
    kinds = ("checkpoints", "undo", "viewed", *(["rescue"] if rescue else []))
    for kind in kinds:
        for name, oid in refs.private_refs(repo, f"{kind}/{session}").items():
            refs.delete_ref(repo, name, oid)


def delete_branch(repo: Path, branch: str, seen: Oid) -> None:
    """Delete the branch if it is where it was seen and nobody has it checked out."""
    for other in worktrees.list_worktrees(repo):
        if other.branch == branch:
            raise NotPossible(f"the branch {branch} is in use at {other.path} and was left alone")
    refs.delete_ref(repo, f"refs/heads/{branch}", seen)


def remove_tree(path: Path) -> None:
    """Every file below `path`, one at a time, and `path` itself."""
    _remove(path, path.lstat().st_dev)
    trash.flush(path.parent)


def _remove(folder: Path, device: int) -> None:
    if folder.lstat().st_dev != device:
        raise NotPossible(f"{folder} is on another file system and was left alone")
    if not os.access(folder, os.W_OK | os.X_OK):
        folder.chmod(0o700)
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            _remove(Path(entry.path), device)
        else:
            Path(entry.path).unlink()
    folder.rmdir()


def _forget_worktree(repo: Path, worktree: Path, admin: Path) -> None:
    """Only the entry that the record names, and only while its directory is gone."""
    if not (admin / "gitdir").is_file() or os.path.lexists(worktree):
        return
    trash.set_git_dir_link(admin, worktree)
    # Twice, because it is locked in the session's name.
    Git(repo).run("worktree", "remove", "--force", "--force", "--end-of-options", worktree)
