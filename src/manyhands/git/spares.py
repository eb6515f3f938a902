"""Spare worktrees: checked out ahead of time, handed over where they are, taken back if unused.

A spare is detached and locked in its own name. Whoever changes one holds its file lock, and so does
every git that works in it, even when we are killed: nobody meets a spare that is still written to.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from manyhands.errors import NotPossible
from manyhands.git import lfs, refs, worktrees
from manyhands.git.locks import file_lock
from manyhands.git.recovery import forget, remove_files, require_untouched
from manyhands.git.runner import Git
from manyhands.git.submodules import has_submodules, initialise_submodules
from manyhands.model.ids import Oid, SessionId


def spare_reason(spare: str) -> str:
    return f"manyhands spare {spare}"


def spare_lock(path: Path, lock_dir: Path) -> AbstractContextManager[int]:
    key = hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
    return file_lock(lock_dir / f"spare-{key}.lock")


def add_spare(repo: Path, path: Path, commit: Oid, *, spare: str, lock_dir: Path) -> list[str]:
    """Check out `commit`, detached; what is to be said about it. Of trusted repositories only."""
    if os.path.lexists(path):
        raise NotPossible(f"{path} is in the way of a spare worktree")
    path.parent.mkdir(parents=True, exist_ok=True)
    with spare_lock(path, lock_dir) as held:
        what = ("--detach", "--end-of-options", path, commit)
        worktrees.check_out(
            _git(repo, held),
            path,
            what,
            spare_reason(spare),
            common=refs.common_dir(repo),
            lock_dir=lock_dir,
        )
        worktrees.run_checkout_hook(path, commit)
        return _completed(repo, path, held)


def refresh_spare(repo: Path, path: Path, commit: Oid, *, lock_dir: Path) -> list[str]:
    """Bring a spare to `commit`; refuses where somebody has changed something in it."""
    with spare_lock(path, lock_dir) as held:
        git = _git(path, held).having(lfs.checkout_settings())
        switch = ("switch", "--quiet", "--detach", commit)
        git.run(*switch, timeout=worktrees.ADD_TIMEOUT)
        return _completed(repo, path, held)


def hand_over(
    repo: Path, path: Path, branch: str, commit: Oid, *, session: SessionId, lock_dir: Path
) -> list[str]:
    """Make the spare the session's: on its branch, at `commit`, locked in its name.

    Harmless to repeat. Refuses where the spare is not as we left it.
    """
    with spare_lock(path, lock_dir) as held:
        admin = _admin(path)
        _require_same_view(repo, admin)
        head = (admin / "HEAD").read_text("utf-8").strip()
        notes = []
        if head != f"ref: refs/heads/{branch}":
            _switch(path, head, branch, commit, held)
            if head != commit:
                notes = _completed(repo, path, held, background=False)
        (admin / "locked").write_text(worktrees.lock_reason(session) + "\n", "utf-8")
    return notes


def remove_spare(repo: Path, path: Path, *commits: Oid, spare: str, lock_dir: Path) -> None:
    """Take an unused spare back, whole or half-made; refuses where it holds someone's work."""
    with spare_lock(path, lock_dir):
        if path.is_dir() and not path.is_symlink():
            _require_ours(path)
            # Ignored files are what the setup installed: nobody was ever told of this place.
            require_untouched(refs.common_dir(repo), path, *commits, ignored_too=False)
            remove_files(path)
        forget(repo, path, spare_reason(spare))


def _switch(path: Path, head: str, branch: str, commit: Oid, held: int) -> None:
    if head.startswith("ref: "):
        raise NotPossible(f"the spare {path} is on a branch already")
    git = replace(Git(path, hardened=False), inherit=(held,)).having(lfs.checkout_settings())
    # With no start point git leaves index and files alone: a few milliseconds for any size.
    start = () if head == commit else (commit,)
    made = git.run("switch", "--quiet", "--no-track", "-c", branch, *start, check=False)
    if made.returncode == 0:
        return
    if refs.branch_tip(path, branch) != commit:
        raise NotPossible(f"the spare {path} was of no use: {made.stderr.decode(errors='replace')}")
    # Killed between the branch and HEAD: the branch is the one that our record speaks of.
    git.run("switch", "--quiet", "--no-guess", branch)


def _completed(repo: Path, path: Path, held: int, *, background: bool = True) -> list[str]:
    """Submodules and large files; what went wrong, in words."""
    notes = []
    if has_submodules(path):
        git = _git(path, held, background=background)
        notes = initialise_submodules(path, refs.common_dir(repo), git)
    note = lfs.missing_files_note(path)
    return [*notes, note] if note else notes


def _git(cwd: Path, held: int, *, background: bool = True) -> Git:
    return replace(Git(cwd, hardened=False), inherit=(held,), background=background)


def _admin(path: Path) -> Path:
    """Git's own part of the worktree, by the worktree's link to it."""
    try:
        link = (path / ".git").read_bytes()
    except OSError as error:
        raise NotPossible(f"the spare {path} is gone") from error
    return Path(os.fsdecode(link.removeprefix(b"gitdir: ").rstrip(b"\n")))


def _require_same_view(repo: Path, admin: Path) -> None:
    """The main checkout's sparse patterns may have changed since the spare was filled."""
    if _sparse_view(refs.common_dir(repo)) != _sparse_view(admin):
        raise NotPossible("the sparse checkout has changed since the spare was filled")


def _sparse_view(git_dir: Path) -> tuple[bytes, list[bytes]]:
    settings = _contents(git_dir / "config.worktree").lower().splitlines()
    about = sorted(line.strip() for line in settings if b"sparse" in line)
    return _contents(git_dir / "info" / "sparse-checkout"), about


def _contents(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _require_ours(path: Path) -> None:
    admin = _admin(path) if (path / ".git").exists() else None
    head = admin / "HEAD" if admin else None
    if head and head.exists() and head.read_bytes().startswith(b"ref: "):
        raise NotPossible(f"{path} is on a branch and no spare any more")
