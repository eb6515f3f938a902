"""After a kill in the middle of `git worktree add`: take back what only we can have made.

Only the worktree, branch and commit named in our own record are looked at, and only what came
from that commit is removed. Anything else stays and the recovery refuses. Afterwards either
the worktree is whole, or nothing of it is left and it can be added again.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Literal

from manyhands.errors import NotPossible
from manyhands.git import refs, worktrees
from manyhands.git.locks import repository_lock
from manyhands.git.runner import Git
from manyhands.model.ids import Oid, SessionId

Outcome = Literal["whole", "cleaned"]


def recover_half_made(
    repo: Path,
    path: Path,
    branch: str,
    commit: Oid,
    *,
    session: SessionId,
    lock_dir: Path,
    new_branch: bool = True,
) -> Outcome:
    """Finish or undo what a killed `add_worktree` with the same arguments left."""
    common = refs.require_repository(repo).common_dir
    with repository_lock(common, lock_dir):
        if path.is_symlink():
            raise NotPossible(f"{path} is a symbolic link, not a half-made worktree")
        worktrees.finish_entries(common)
        if _is_whole(repo, path, branch, commit):
            return "whole"
        require_untouched(common, path, commit)
        _require_unused_branch(repo, path, branch, commit)
        remove_files(path)
        forget(repo, path, worktrees.lock_reason(session))
        if new_branch and refs.branch_tip(repo, branch) == commit:
            refs.delete_ref(repo, f"refs/heads/{branch}", commit)
        return "cleaned"


def _is_whole(repo: Path, path: Path, branch: str, commit: Oid) -> bool:
    entry = worktrees.find_worktree(repo, path)
    admin = worktrees.admin_dir(repo, path)
    if entry is None or admin is None or not (path / ".git").is_file():
        return False
    if (entry.branch, entry.head) != (branch, commit) or (admin / "index.lock").exists():
        return False
    if entry.locked is None or entry.locked == "initializing" or not (admin / "index").exists():
        return False
    status = ("status", "--porcelain", "-z", "--untracked-files=no")
    return not Git(path).run(*status).stdout


def require_untouched(common: Path, path: Path, *commits: Oid, ignored_too: bool = True) -> None:
    """Every file there is one of the commits', or the beginning of it, or else ignored by git."""
    if not path.is_dir():
        return
    strange = [set(_strangers(common, path, commit, ignored_too)) for commit in commits]
    foreign = sorted(set.intersection(*strange))
    if foreign:
        shown = os.fsencode(foreign[0]).decode("utf-8", "backslashreplace")
        raise NotPossible(f"{path} holds work that is not from {commits[0][:12]}, such as {shown}")


def _strangers(common: Path, path: Path, commit: Oid, ignored_too: bool) -> list[bytes]:
    with tempfile.TemporaryDirectory(prefix="manyhands-") as scratch:
        git = Git(path).having(
            GIT_DIR=common, GIT_WORK_TREE=path, GIT_INDEX_FILE=Path(scratch, "index")
        )
        git.run("read-tree", commit)
        others = () if ignored_too else ("--exclude-standard",)
        strange = git.run("ls-files", "-z", "--others", *others).records
        changed = git.run("ls-files", "-z", "--modified").records
        foreign = [name for name in strange if name != b".git"]
        return foreign + [name for name in changed if not _is_beginning(git, path, commit, name)]


def _is_beginning(git: Git, path: Path, commit: Oid, name: bytes) -> bool:
    file = path / os.fsdecode(name)
    if not os.path.lexists(file):
        return True
    if file.is_symlink() or not file.is_file():
        return False
    whole = git.run("cat-file", "--filters", commit.encode() + b":" + name).stdout
    with file.open("rb") as stream:
        return whole.startswith(stream.read(len(whole) + 1))


def _require_unused_branch(repo: Path, path: Path, branch: str, commit: Oid) -> None:
    if refs.branch_tip(repo, branch) not in (None, commit):
        raise NotPossible(f"the branch {branch} has commits of its own and was left alone")
    wanted = path.parent.resolve() / path.name
    for other in worktrees.list_worktrees(repo):
        if other.branch == branch and other.path != wanted:
            raise NotPossible(f"the branch {branch} is in use at {other.path}")


def remove_files(path: Path) -> None:
    """Every file below `path`, one at a time, and `path` itself; no link is followed, and no other
    file system entered."""
    if path.is_dir():
        _remove(path, path.lstat().st_dev)


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


def forget(repo: Path, path: Path, reason: str) -> None:
    """Take git's own part of a worktree back whose files are gone; it is locked with `reason`."""
    if worktrees.admin_dir(repo, path) is not None:
        # Twice, as the half-made worktree is locked; its directory is gone already.
        Git(repo).run("worktree", "remove", "--force", "--force", path)
    common = refs.require_repository(repo).common_dir
    for locked in common.glob("worktrees/*/locked"):
        admin = locked.parent
        alone = [entry.name for entry in admin.iterdir()] == ["locked"]
        if alone and locked.read_text("utf-8", "replace").strip() == reason:
            locked.unlink()
            admin.rmdir()
