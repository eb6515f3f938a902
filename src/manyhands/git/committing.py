"""Commits as the user would make them, with hooks and filters, out of a private index.

The agent's index is left alone until the commit is made; then the committed paths follow it.
Every commit carries an id in its reflog entry, by which one that nobody saw end is found again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from manyhands.errors import BadInput, GitFailed, NotPossible
from manyhands.git import refs
from manyhands.git.locks import is_held
from manyhands.git.runner import Git
from manyhands.git.survey import operation
from manyhands.model.clock import monotonic
from manyhands.model.ids import Oid

MARK = "manyhands-commit"
INDEX_SECONDS = 10.0
LONGEST_PATCH = 48 * 1024
_LOOK = 0.05


@dataclass(frozen=True)
class Made:
    commit: Oid
    output: str
    note: str = ""


def require_committable(worktree: Path, branch: str) -> Oid:
    """HEAD, which must be on the session's own branch and in the middle of nothing."""
    found = refs.require_worktree(worktree)
    if under_way := operation(found.git_dir):
        raise NotPossible(f"a {under_way} is in progress in {worktree}: finish or abort it first")
    here = refs.current_branch(worktree)
    if here != branch:
        raise NotPossible(
            f"{worktree} is on {here or 'no branch'}, not on its own branch {branch}",
            hint=f"`git switch {branch}` there first",
        )
    head = refs.resolve(worktree, "HEAD")
    if head is None:
        raise NotPossible(f"{worktree} has no commit yet")
    return head


@dataclass(frozen=True)
class Staging:
    """A private index that holds what is to be committed."""

    git: Git
    worktree: Path

    def changed(self) -> list[str]:
        """Paths that differ from HEAD."""
        named = self.git.run("diff-index", "--cached", "--name-only", "-z", "HEAD").records
        return [os.fsdecode(path) for path in named]

    def patch(self) -> str:
        """What would be committed, cut where it is long."""
        drawn = self.git.run("diff-index", "--cached", "-p", "HEAD", limit=LONGEST_PATCH)
        return drawn.stdout.decode("utf-8", "replace")

    def require_no_embedded(self) -> None:
        """A repository inside the worktree would go in as a bare link, without its files."""
        raw = self.git.run("diff-index", "--cached", "--raw", "-z", "HEAD").records
        fresh = [raw[n + 1] for n in range(0, len(raw) - 1, 2) if raw[n].startswith(b":000000 16")]
        listed = self.git.run("config", "-z", "-f", ".gitmodules", "--list", check=False).stdout
        for path in fresh:
            if b"\n" + path + b"\0" not in listed:
                raise NotPossible(
                    f"{os.fsdecode(path)} is a git repository of its own inside the worktree",
                    hint="move it out, or make it a submodule",
                )


@contextlib.contextmanager
def staging(worktree: Path, place: Path, paths: Sequence[str]) -> Iterator[Staging]:
    """All that changed, or only these paths, in an index below `place`; the agent's is copied."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True, mode=0o700)
    index = place / "index"
    source = refs.require_worktree(worktree).git_dir / "index"
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, index)
    git = Git(worktree, hardened=False).having(GIT_INDEX_FILE=index)
    try:
        git.run("read-tree", "--reset", "HEAD")
        _add(git, paths)
        yield Staging(git, worktree)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _add(git: Git, paths: Sequence[str]) -> None:
    added = git.run("add", "-A", "--", *paths, check=False)
    if added.returncode and paths:
        last = added.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise BadInput(f"not all of these paths can be committed: {''.join(last)}")
    if added.returncode:
        raise GitFailed(("add", "-A"), added.returncode, added.stderr.decode("utf-8", "replace"))


def make(
    staged: Staging, *, id: str, message: str, amend: bool, lock: Path, seconds: float
) -> Made:
    """Run `git commit` with the user's hooks; bounded. Raises `GitFailed` if there is no commit."""
    argv = ["commit", "-F", "-", "--cleanup=whitespace", *(["--amend"] if amend else [])]
    with _held(lock) as held:
        git = replace(staged.git, hooks=True, inherit=(held,)).having(
            {"core.logAllRefUpdates": "true"},
            GIT_REFLOG_ACTION=f"{MARK} {id}",
            # The hooks are the user's own programs and do not expect these.
            GIT_LITERAL_PATHSPECS="0",
            LC_ALL="",
        )
        try:
            result = git.run(*argv, stdin=message.encode(), timeout=seconds)
        except GitFailed as error:
            made = find_made(staged.worktree, id)
            if made is None:
                raise
            return Made(made, error.stderr, "the commit is made, though a hook after it failed")
    made = find_made(staged.worktree, id) or refs.resolve(staged.worktree, "HEAD")
    assert made is not None
    said = result.stderr + result.stdout
    return Made(made, said.decode("utf-8", "replace").strip())


def find_made(worktree: Path, id: str) -> Oid | None:
    """The commit that was made under this id."""
    asked = ("log", "-g", "--format=%H %gs", "-n", "200", "HEAD")
    for line in (
        Git(worktree).run(*asked, check=False).stdout.decode("utf-8", "replace").split("\n")
    ):
        commit, _, action = line.partition(" ")
        if action.startswith(f"{MARK} {id}:"):
            return Oid(commit)
    return None


def wait_for_end(lock: Path, worktree: Path, id: str, seconds: float) -> Oid | None:
    """What came of a commit whose starter died; its git may run on and is waited for."""
    deadline = monotonic() + seconds
    while True:
        made = find_made(worktree, id)
        if made is not None or not is_held(lock):
            return made or find_made(worktree, id)
        if monotonic() > deadline:
            raise NotPossible(
                "a commit that was begun before still runs, and its hooks do not end",
                hint=f"see which processes run in {worktree}, and end them",
            )
        time.sleep(_LOOK)


def follow(worktree: Path, paths: Sequence[str]) -> str:
    """Let the agent's index know of the commit; gives a sentence where it is locked."""
    git = Git(worktree, hardened=False)
    deadline = monotonic() + INDEX_SECONDS
    while True:
        result = git.run("reset", "-q", "--", *paths, check=False)
        if result.returncode == 0:
            return ""
        if b"index.lock" not in result.stderr or monotonic() > deadline:
            return "the worktree's index could not be brought up to date: run `git reset -q` there"
        time.sleep(_LOOK)


@contextlib.contextmanager
def _held(lock: Path) -> Iterator[int]:
    """A lock that git inherits, so that it lasts as long as git does, whatever becomes of us."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)
