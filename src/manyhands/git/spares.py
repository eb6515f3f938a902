"""Spare worktrees: checked out ahead of time, handed over where they are, taken back if unused.

A spare is detached and locked in its own name. Whoever changes one holds its file lock, and so does
every git that works in it, even when we are killed: nobody meets a spare that is still written to.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from manyhands.errors import NotPossible
from manyhands.git import lfs, refs, worktrees
from manyhands.git.locks import file_lock
from manyhands.git.recovery import forget, remove_files, require_untouched
from manyhands.git.repository import load_git_dirs
from manyhands.git.runner import Git
from manyhands.git.submodules import complete
from manyhands.model.ids import Oid, SessionId


def spare_reason(spare: str) -> str:
    return f"manyhands spare {spare}"


def spare_lock(path: Path, lock_dir: Path) -> AbstractContextManager[int]:
    key = hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
    return file_lock(lock_dir / f"spare-{key}.lock")


def add_spare(
    repo: Path,
    path: Path,
    commit: Oid,
    *,
    spare: str,
    lock_dir: Path,
    env: Mapping[str, str],
) -> list[str]:
    """Check out `commit`, detached; what is to be said about it. Of trusted repositories only.

    What the checkout runs sees `env` and nothing else: a commit may be an agent's."""
    with spare_lock(path, lock_dir) as held:
        options = ("--lock", "--reason", spare_reason(spare), "--detach")
        worktrees.check_out(_aside(repo, held, env), path, commit, *options, lock_dir=lock_dir)
        worktrees.run_checkout_hook(path, commit, env)
        return complete(path, _aside(path, held, env))


def refresh_spare(path: Path, commit: Oid, *, lock_dir: Path, env: Mapping[str, str]) -> list[str]:
    """Bring a spare to `commit`; refuses where somebody has changed something in it."""
    with spare_lock(path, lock_dir) as held:
        git = _aside(path, held, env)
        switch = ("switch", "--quiet", "--detach", commit)
        filling = git.having(lfs.checkout_settings())
        lfs.run_checkout(filling, *switch, timeout=worktrees.ADD_TIMEOUT)
        return complete(path, git)


def reset_spare(path: Path, commit: Oid, *, lock_dir: Path, env: Mapping[str, str]) -> list[str]:
    """Bring a spare of our own to `commit`, whatever was done in it; what git ignores stays."""
    with spare_lock(path, lock_dir) as held:
        git = _aside(path, held, env)
        switch = ("switch", "--quiet", "--detach", "--discard-changes", commit)
        filling = git.having(lfs.checkout_settings())
        lfs.run_checkout(filling, *switch, timeout=worktrees.ADD_TIMEOUT)
        git.run("clean", "-ffdq", timeout=worktrees.ADD_TIMEOUT)
        return complete(path, git)


def hand_over(
    repo: Path,
    path: Path,
    branch: str,
    commit: Oid,
    *,
    session: SessionId,
    lock_dir: Path,
    env: Mapping[str, str],
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
            git = replace(Git(path, hardened=False).within(env), inherit=(held,))
            _switch(git, head, branch, commit)
            notes = complete(path, git) if head != commit else []
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


def _switch(git: Git, head: str, branch: str, commit: Oid) -> None:
    path, git = git.cwd, git.having(lfs.checkout_settings())
    if head.startswith("ref: "):
        raise NotPossible(f"the spare {path} is on a branch already")
    # With no start point git leaves index and files alone: a few milliseconds for any size.
    start = () if head == commit else (commit,)
    made = git.run("switch", "--quiet", "--no-track", "-c", branch, *start, check=False)
    if made.returncode == 0:
        return
    if refs.branch_tip(path, branch) != commit:
        raise NotPossible(f"the spare {path} was of no use: {made.stderr.decode(errors='replace')}")
    # Killed between the branch and HEAD: the branch is the one that our record speaks of.
    git.run("switch", "--quiet", "--no-guess", branch)


def _aside(cwd: Path, held: int, env: Mapping[str, str]) -> Git:
    """Git that gives way to whatever else the machine has to do."""
    return replace(Git(cwd, hardened=False).within(env), inherit=(held,), background=True)


def _admin(path: Path) -> Path:
    try:
        return load_git_dirs(path)[0]
    except OSError as error:
        raise NotPossible(f"the spare {path} is gone") from error


def _require_same_view(repo: Path, admin: Path) -> None:
    """The main checkout's sparse patterns may have changed since the spare was filled."""
    if _sparse_view(refs.common_dir(repo)) != _sparse_view(admin):
        raise NotPossible("the sparse checkout has changed since the spare was filled")


def _sparse_view(git_dir: Path) -> tuple[bytes, list[bytes]]:
    files = (git_dir / "config.worktree", git_dir / "info" / "sparse-checkout")
    settings, patterns = (file.read_bytes() if file.is_file() else b"" for file in files)
    about = sorted(line.strip() for line in settings.lower().splitlines() if b"sparse" in line)
    return patterns, about


def _require_ours(path: Path) -> None:
    admin = _admin(path) if (path / ".git").exists() else None
    head = admin / "HEAD" if admin else None
    if head and head.exists() and head.read_bytes().startswith(b"ref: "):
        raise NotPossible(f"{path} is on a branch and no spare any more")
