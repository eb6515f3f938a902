"""Worktrees: making one without meeting others, and listing them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from manyhands.errors import NotPossible
from manyhands.git import lfs, refs
from manyhands.git.back_dating import date_back
from manyhands.git.locks import adding_lock, repository_lock
from manyhands.git.repository import load_git_dirs, open_repository
from manyhands.git.runner import Git
from manyhands.model.ids import Oid, SessionId

ADD_TIMEOUT = 1800.0
OURS = "manyhands "
"""What the reasons begin with for which we lock worktrees."""


@dataclass(frozen=True)
class ListedWorktree:
    path: Path
    head: Oid | None = None
    branch: str | None = None
    locked: str | None = None
    """The reason, empty if none was given; None when not locked."""
    prunable: bool = False
    bare: bool = False


def lock_reason(session: SessionId) -> str:
    return f"manyhands session {session}"


def add_worktree(
    repo: Path,
    path: Path,
    branch: str,
    commit: Oid,
    *,
    session: SessionId,
    lock_dir: Path,
    env: Mapping[str, str] | None = None,
    new_branch: bool = True,
) -> None:
    """Make branch and worktree at `commit`, locked in the session's name.

    Without `new_branch` it is a branch that exists, as it is now.

    `env` is for trusted repositories: filters and the post-checkout hook run, and see that and
    nothing else; the hook after the lock is free again.
    """
    refs.require_branch_name(repo, branch)
    # A recovery waits until nobody is adding.
    with repository_lock(refs.common_dir(repo), lock_dir, shared=True) as held:
        git = Git(repo) if env is None else Git(repo, hardened=False).within(env)
        git = replace(git, inherit=(held,))
        options = ("--lock", "--reason", lock_reason(session))
        if new_branch:
            check_out(git, path, commit, *options, "--no-track", "-b", branch, lock_dir=lock_dir)
        else:
            check_out(git, path, branch, *options, lock_dir=lock_dir)
    if env is not None:
        run_checkout_hook(path, commit, env)


def finish_entries(common: Path) -> None:
    """One that was killed at a certain moment leaves a file empty without which no git can list or
    add a worktree any more. In entries of ours it gets what git was about to write."""
    for link in common.glob("worktrees/*/commondir"):
        with suppress(FileNotFoundError):  # somebody forgets it at this moment
            locked = link.with_name("locked").read_text("utf-8", "replace")
            if not link.stat().st_size and locked.startswith(OURS):
                link.write_text("../..\n")


def check_out(git: Git, path: Path, what: str, *options: str, lock_dir: Path) -> None:
    """`git worktree add` in two steps, so that only the short one is done by one at a time:
    git gives up when it meets an entry that another git has only begun to write."""
    if os.path.lexists(path):
        raise NotPossible(f"{path} is in the way of a new worktree")
    path.parent.mkdir(parents=True, exist_ok=True)
    with adding_lock(refs.common_dir(git.cwd), lock_dir) as held:
        finish_entries(refs.common_dir(git.cwd))
        adding = replace(git, inherit=(*git.inherit, held))
        argv = ("worktree", "add", "--quiet", "--no-checkout", *options, "--end-of-options")
        adding.run(*argv, path, what)
    filling = replace(git.having(lfs.checkout_settings()), cwd=path)
    fill = ("reset", "--hard", "--quiet", "--no-recurse-submodules")
    lfs.run_checkout(filling, *fill, timeout=ADD_TIMEOUT)
    date_back(path, load_git_dirs(path)[0] / "index")


def run_checkout_hook(worktree: Path, commit: Oid, env: Mapping[str, str]) -> None:
    """What git itself would have run after the checkout, in nothing but `env`."""
    if not _may_have_hooks(worktree):
        return
    zero = "0" * len(commit)
    hook = ("hook", "run", "--ignore-missing", "post-checkout", "--", zero, commit, "1")
    Git(worktree, hardened=False, hooks=True).within(env).run(*hook, check=False)


def _may_have_hooks(worktree: Path) -> bool:
    """Whether it is worth a process to look for the hook."""
    repo = open_repository(worktree)
    is_told = any(entry.name.startswith(("core.hookspath", "hook.")) for entry in repo.config)
    _, common = load_git_dirs(worktree)
    return is_told or (common / "hooks" / "post-checkout").exists()


def list_worktrees(repo: Path) -> list[ListedWorktree]:
    listed = Git(repo).run("worktree", "list", "--porcelain", "-z").stdout
    blocks = [block.split(b"\0") for block in listed.split(b"\0\0") if block]
    return [_worktree(block) for block in blocks]


def _worktree(lines: list[bytes]) -> ListedWorktree:
    said = {key: value for key, _, value in (os.fsdecode(line).partition(" ") for line in lines)}
    head, branch = said.get("HEAD", ""), said.get("branch", "")
    return ListedWorktree(
        path=Path(said["worktree"]),
        head=Oid(head) if head.strip("0") else None,
        branch=branch.removeprefix("refs/heads/") or None,
        locked=said.get("locked"),
        prunable="prunable" in said,
        bare="bare" in said,
    )


def find_worktree(repo: Path, path: Path) -> ListedWorktree | None:
    """Git's entry for a worktree at `path`, whether or not the directory is still there."""
    wanted = path.parent.resolve() / path.name
    return next((w for w in list_worktrees(repo) if w.path == wanted), None)


def admin_dir(repo: Path, path: Path) -> Path | None:
    """Where git keeps its part of the linked worktree at `path`, by git's own record of it."""
    wanted = path.parent.resolve() / path.name / ".git"
    common = refs.common_dir(repo)
    for record in sorted(common.glob("worktrees/*/gitdir")):
        # Relative to the record, where git was told to write it so.
        if _normal(record.parent / os.fsdecode(record.read_bytes().rstrip(b"\n"))) == wanted:
            return record.parent
    return None


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path))


def last_head(admin: Path) -> str:
    """Where HEAD was last, by its own log: all that tells once its branch is gone."""
    try:
        lines = (admin / "logs" / "HEAD").read_bytes().splitlines()
    except OSError:
        return ""
    before, after = lines[-1].decode("utf-8", "replace").split(" ")[:2] if lines else ("", "")
    return after if after.strip("0") else before


def way_to_branch(repo: Path, path: Path, branch: str, on: str) -> tuple[str, tuple[str, ...]]:
    """How things stand where the worktree's `branch` is gone and HEAD is `on` another, or on none;
    and what git is to be told there."""
    if on == branch:
        admin = admin_dir(repo, path)
        was = last_head(admin) if admin else ""
        return f"it was at {was[:12]}", ("update-ref", f"refs/heads/{branch}", was)
    if on:
        return f"HEAD is on {on}", ("branch", "-m", on, branch)
    return "HEAD is detached", ("switch", "-c", branch)


def set_lock(repo: Path, path: Path, reason: str) -> None:
    """Lock the worktree with this reason, whatever it was before."""
    (_require_admin_dir(repo, path) / "locked").write_text(reason + "\n", "utf-8")


def reconnect(repo: Path, path: Path) -> None:
    """Give a worktree back the `.git` file that someone deleted, where git still knows it."""
    link = path / ".git"
    if not os.path.lexists(link):
        admin = _require_admin_dir(repo, path)
        path.mkdir(parents=True, exist_ok=True)
        link.write_bytes(b"gitdir: " + os.fsencode(admin) + b"\n")


def _require_admin_dir(repo: Path, path: Path) -> Path:
    admin = admin_dir(repo, path)
    if admin is None:
        raise NotPossible(f"git knows no worktree at {path}")
    return admin
