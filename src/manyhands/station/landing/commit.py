"""Commits of what a worktree holds, as the user would make them, out of a private index.

Whoever only looks runs nothing of the repository's. A commit runs its hooks and filters as the
agent would: with none of the user's credentials. The agent's index is left alone until the commit
is made; then the committed paths follow it. Every commit carries an id in its reflog entry, by
which one that nobody saw end is found again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from manyhands.errors import BadInput, GitFailed, NotPossible
from manyhands.git import refs
from manyhands.git.locks import file_lock, is_held
from manyhands.git.runner import Git
from manyhands.model.clock import monotonic
from manyhands.model.ids import Oid
from manyhands.model.landing.landing import CommitUnderWay
from manyhands.model.surroundings import Surroundings
from manyhands.station.landing.making import MARK, CommitMaking
from manyhands.station.landing.standing import require_on_branch
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree, agents_git, require_inside

INDEX_SECONDS = 10.0
NO_MONITOR = {"core.fsmonitor": "false"}
LONGEST_PATCH = 48 * 1024
_PAUSE = 0.05


class Made(msgspec.Struct, frozen=True):
    commit: Oid
    output: str = ""
    note: str = ""


class PendingCommit(msgspec.Struct, frozen=True, kw_only=True):
    head: Oid
    is_own: bool = True
    """Whether HEAD, where it is to be amended, is a commit of the session itself."""
    message: str = ""
    """HEAD's, where it is to be amended."""
    changed: Sequence[str] = ()


@in_thread
def load_pending(at: Worktree, paths: Sequence[str], *, amend: bool) -> PendingCommit:
    """What a commit would start from; raises where none can be made."""
    head = _require_committable(at)
    if amend and refs.is_part_of(at.root, head, at.base):
        return PendingCommit(head=head, is_own=False)
    said = Git(at.root).run("log", "-1", "--format=%B", head, "--").line if amend else ""
    return PendingCommit(head=head, message=said, changed=_changed(at, paths))


def _require_committable(at: Worktree) -> Oid:
    """HEAD, which must be on the session's own branch and in the middle of nothing."""
    require_on_branch(at)
    head = refs.resolve(at.root, "HEAD")
    if head is None:
        raise NotPossible(f"{at.root} has no commit yet")
    return head


def _changed(at: Worktree, paths: Sequence[str]) -> list[str]:
    """What would be committed of these paths, or of all."""
    for path in paths:
        require_inside(at.root, path)
    with _staging(at, "pending", paths) as git:
        named = git.run("diff-index", "--cached", "--name-only", "-z", "HEAD").records
    return [os.fsdecode(path) for path in named]


load_changed = in_thread(_changed)


@in_thread
def load_patch(at: Worktree, paths: Sequence[str]) -> str:
    """What would be committed, cut where it is long."""
    with _staging(at, "pending", paths) as git:
        return git.run("diff-index", "--cached", "-p", "HEAD", limit=LONGEST_PATCH).text


@contextlib.contextmanager
def _staging(
    at: Worktree, name: str, paths: Sequence[str], within: Surroundings | None = None
) -> Iterator[Git]:
    """Git on an index of our own, begun as the agent's, with all that changed or these paths.

    For looking, nothing runs that the repository names. `within` the agent's surroundings the
    filters of its config do, since what is committed depends on them."""
    directory = _place(at) / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, mode=0o700)
    index = directory / "index"
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(refs.require_worktree(at.root).git_dir / "index", index)
    plain = Git(at.root) if within is None else agents_git(at, within)
    git = plain.having(NO_MONITOR, GIT_INDEX_FILE=index)
    try:
        git.run("read-tree", "--reset", "HEAD")
        _add(git, paths)
        yield git
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _add(git: Git, paths: Sequence[str]) -> None:
    try:
        git.run("add", "-A", "--", *paths)
    except GitFailed as error:
        if not paths:
            raise
        last = error.stderr.strip().splitlines()[-1:]
        raise BadInput(f"not all of these paths can be committed: {''.join(last)}") from error


@in_thread
def find_commit(at: Worktree, begun: CommitUnderWay, seconds: float) -> Made | None:
    """What came of a commit whose starter died; its git may run on and is waited for."""
    lock, deadline = _lock(at, begun), monotonic() + seconds
    if not lock.exists() and refs.resolve(at.root, "HEAD") == begun.head:
        return None
    while (made := _find_made(at, begun)) is None and is_held(lock):
        if monotonic() > deadline:
            raise NotPossible(
                "a commit that was begun before still runs, and its hooks do not end",
                hint=f"see which processes run in {at.root}, and end them",
            )
        time.sleep(_PAUSE)
    made = made or _find_made(at, begun)
    return Made(made, "", "found made after a restart") if made else None


def _find_made(at: Worktree, begun: CommitUnderWay) -> Oid | None:
    """The commit that was made under this id."""
    asked = ("log", "-g", "--format=%H %gs", "-n", "200", "HEAD")
    for line in Git(at.root).run(*asked, check=False).text.split("\n"):
        commit, _, action = line.partition(" ")
        if action.startswith(f"{MARK} {begun.id}:"):
            return Oid(commit)
    return None


@in_thread
def make_commit(at: Worktree, begun: CommitUnderWay, within: Surroundings, seconds: float) -> Made:
    """Under the id that is on record; `follow_commit` is to come after it. `within` is the agent's,
    for hooks and filters. Raises `GitFailed` if there is no commit."""
    if _require_committable(at) != begun.head:
        raise NotPossible("the branch has moved on since the commit was asked for: ask again")
    # Hooks inherit the lock, so that it lasts as long as they do, whatever becomes of us.
    with file_lock(_lock(at, begun), wait=False) as held, _commit_index(at, begun, within) as git:
        _require_no_embedded(git)
        index = Path(dict(git.variables)["GIT_INDEX_FILE"])
        making = CommitMaking(at, begun, git, index, within, seconds, held)
        commit = making.make()
    said = b"".join(making.said).decode("utf-8", "replace").strip()
    return Made(commit, said, making.note)


def _commit_index(
    at: Worktree, begun: CommitUnderWay, within: Surroundings
) -> AbstractContextManager[Git]:
    return _staging(at, "commit", begun.paths, within)


def _require_no_embedded(git: Git) -> None:
    """A repository inside the worktree would go in as a bare link, without its files."""
    raw = git.run("diff-index", "--cached", "--raw", "-z", "HEAD").records
    fresh = [raw[n + 1] for n in range(0, len(raw) - 1, 2) if raw[n].startswith(b":000000 16")]
    listed = git.run("config", "-z", "-f", ".gitmodules", "--list", check=False).stdout
    for path in fresh:
        if b"\n" + path + b"\0" not in listed:
            raise NotPossible(
                f"{os.fsdecode(path)} is a git repository of its own inside the worktree",
                hint="move it out, or make it a submodule",
            )


@in_thread
def follow_commit(at: Worktree, begun: CommitUnderWay, made: Made, within: Surroundings) -> Made:
    """Let the agent's index know of it; the note says where that failed."""
    note = _follow(at, begun.paths, within)
    _lock(at, begun).unlink(missing_ok=True)
    return Made(made.commit, made.output, " ".join(filter(None, (made.note, note))))


def _follow(at: Worktree, paths: Sequence[str], within: Surroundings) -> str:
    # Where there is a box, the index in it follows the one here.
    git = Git(at.root) if within.prefix else agents_git(at, within)
    deadline = monotonic() + INDEX_SECONDS
    while True:
        result = git.run("reset", "-q", "--", *paths, check=False)
        if result.returncode == 0:
            return ""
        if b"index.lock" not in result.stderr or monotonic() > deadline:
            return "the worktree's index could not be brought up to date: run `git reset -q` there"
        time.sleep(_PAUSE)


def _place(at: Worktree) -> Path:
    """Where a session's commits are put together."""
    return Path(at.kept) / "landing"


def _lock(at: Worktree, begun: CommitUnderWay) -> Path:
    return _place(at) / f"{begun.id}.lock"
