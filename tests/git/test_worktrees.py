from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from manyhands.config import child_environment
from manyhands.errors import BadInput, GitFailed, NotPossible
from manyhands.git import refs, worktrees
from manyhands.git.recovery import recover_half_made
from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.support.samples import SESSION, git, state, write


def add_numbered(repo: Path, base: Oid, number: int) -> None:
    folder = repo.parent
    path, branch = folder / "many" / f"tree {number}", f"mh/n{number}"
    worktrees.add_worktree(repo, path, branch, base, session=SESSION, lock_dir=folder / "locks")


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_forty_worktrees_at_once_all_succeed_and_touch_no_config(repo: Path, kind: str) -> None:
    base = refs.resolve(repo, "HEAD")
    assert base is not None
    config = (repo / ".git/config").read_bytes()
    pool = (
        ThreadPoolExecutor(20)
        if kind == "threads"
        else ProcessPoolExecutor(4, mp_context=get_context("spawn"))
    )
    with pool:
        for done in [pool.submit(add_numbered, repo, base, n) for n in range(40)]:
            done.result(timeout=60)
    made = worktrees.list_worktrees(repo)[1:]
    assert {w.branch for w in made} == {f"mh/n{n}" for n in range(40)}
    assert {w.locked for w in made} == {"manyhands session s1"}
    assert all(not git(w.path, "status", "--porcelain") for w in made)
    assert (repo / ".git/config").read_bytes() == config


def test_a_branch_that_exists_is_not_taken_over(place: Place) -> None:
    with pytest.raises(GitFailed, match="already exists"):
        worktrees.add_worktree(
            place.repo,
            place.worktree.parent / "second",
            "mh/one",
            place.base,
            session=SESSION,
            lock_dir=place.locks,
        )
    assert len(worktrees.list_worktrees(place.repo)) == 2


def test_something_at_the_path_is_not_overwritten(repo: Path, tmp_path: Path) -> None:
    write(tmp_path / "there", {"file": "mine"})
    base = Oid(git(repo, "rev-parse", "HEAD"))
    with pytest.raises(NotPossible, match="in the way"):
        worktrees.add_worktree(
            repo, tmp_path / "there", "b", base, session=SESSION, lock_dir=tmp_path
        )
    assert state(tmp_path / "there") == {"file": ("file", 0o644, b"mine")}
    assert "b" not in refs.load_ref_table(repo).heads


def test_a_hook_runs_only_where_it_may(repo: Path, tmp_path: Path) -> None:
    hook = repo / ".git/hooks/post-checkout"
    write(repo, {".git/hooks/post-checkout": f"#!/bin/sh\npwd >> '{tmp_path}/ran'\n"})
    hook.chmod(0o755)
    base = Oid(git(repo, "rev-parse", "HEAD"))
    for name, env in (("quiet", None), ("loud", child_environment())):
        worktrees.add_worktree(
            repo,
            tmp_path / name,
            name,
            base,
            session=SESSION,
            lock_dir=tmp_path / "locks",
            env=env,
        )
    assert (tmp_path / "ran").read_text() == f"{tmp_path}/loud\n"


def test_a_name_that_is_an_option_is_refused(repo: Path, tmp_path: Path) -> None:
    base = Oid(git(repo, "rev-parse", "HEAD"))
    for name in ("--force", "a..b", "", "a b", "x.lock"):
        with pytest.raises(BadInput):
            worktrees.add_worktree(
                repo, tmp_path / "w", name, base, session=SESSION, lock_dir=tmp_path
            )


@pytest.fixture
def big_repo(repo: Path) -> Path:
    write(repo, {f"many/{n // 50}/{n}.txt": f"{n}\n" * 40 for n in range(400)})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "many")
    return repo


def add_and_be_killed(repo: Path, path: Path, base: Oid, *, after: float, git_too: bool) -> None:
    """`add_worktree` in a process of its own, which lives for so many seconds at most."""
    ended, ending = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            add(repo, path, base)
        os._exit(0)
    os.close(ending)
    select.select([ended], [], [], after)
    os.close(ended)
    for victim in [*(descendants(pid) if git_too else []), pid]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
    os.waitpid(pid, 0)


def descendants(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True, timeout=120
    )
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    found = [pid]
    for parent in found:
        found += [child for child, above in pairs if above == parent]
    return found[1:]


def add(repo: Path, path: Path, base: Oid) -> None:
    locks = repo.parent / "locks"
    worktrees.add_worktree(repo, path, "mh/k", base, session=SESSION, lock_dir=locks)


@pytest.mark.parametrize("git_too", [True, False])
def test_killed_at_any_moment_a_creation_converges(big_repo: Path, git_too: bool) -> None:
    base = Oid(git(big_repo, "rev-parse", "HEAD"))
    locks = big_repo.parent / "locks"
    outcomes: list[str] = []
    # At seven moments, and on until one was in the midst: how long it takes is the machine's.
    for step in range(70):
        if step >= 7 and "cleaned" in outcomes:
            break
        path = big_repo.parent / f"killed {step}"
        add_and_be_killed(big_repo, path, base, after=0.003 + step % 7 * 0.004, git_too=git_too)
        for _ in range(2):
            outcomes.append(
                recover_half_made(big_repo, path, "mh/k", base, session=SESSION, lock_dir=locks)
            )
            if outcomes[-1] == "cleaned":
                assert not path.exists()
                assert "mh/k" not in refs.load_ref_table(big_repo).heads
        if outcomes[-1] == "cleaned":
            add(big_repo, path, base)
        assert git(path, "status", "--porcelain", "--ignored") == ""
        assert git(path, "rev-parse", "--abbrev-ref", "HEAD") == "mh/k"
        git(big_repo, "worktree", "remove", "-f", "-f", path)
        git(big_repo, "branch", "-D", "mh/k")
    assert "cleaned" in outcomes
    assert len(worktrees.list_worktrees(big_repo)) == 1


def half_made(place: Place) -> None:
    """As after a kill: lock held, one file cut short, the rest missing."""
    admin = worktrees.admin_dir(place.repo, place.worktree)
    assert admin is not None
    (admin / "index.lock").write_bytes(b"half")
    (admin / "locked").write_text("initializing")
    write(place.worktree, {"a.txt": "one\ntw"})
    (place.worktree / "old.txt").unlink()


def recover(place: Place) -> str:
    return recover_half_made(
        place.repo, place.worktree, "mh/one", place.base, session=SESSION, lock_dir=place.locks
    )


def test_a_half_made_worktree_is_cleaned(place: Place) -> None:
    half_made(place)
    assert recover(place) == "cleaned"
    assert not place.worktree.exists()
    assert len(worktrees.list_worktrees(place.repo)) == 1
    assert recover(place) == "cleaned"


def test_one_that_was_killed_in_its_worst_moment_is_in_nobodys_way(place: Place) -> None:
    """Its entry has an empty file, at which every other git that looks at worktrees gives up."""
    half_made(place)
    [link] = (place.repo / ".git/worktrees").glob("*/commondir")
    link.with_name("locked").write_text(worktrees.lock_reason(SESSION))
    link.write_bytes(b"")
    second = place.worktree.parent / "second"
    worktrees.add_worktree(
        place.repo, second, "mh/two", place.base, session=SESSION, lock_dir=place.locks
    )
    assert len(worktrees.list_worktrees(place.repo)) == 3
    link.write_bytes(b"")
    assert recover(place) == "cleaned"
    assert [w.path for w in worktrees.list_worktrees(place.repo)[1:]] == [second]


def test_what_another_has_begun_to_write_is_left_alone(place: Place) -> None:
    [link] = (place.repo / ".git/worktrees").glob("*/commondir")
    link.with_name("locked").write_text("initializing")
    link.write_bytes(b"")
    worktrees.finish_entries(place.repo / ".git")
    assert link.read_bytes() == b""


@pytest.mark.parametrize("name", ["a.txt", "new.txt", ".env", "src/b.py"])
def test_a_half_made_worktree_with_someones_work_is_left_alone(place: Place, name: str) -> None:
    half_made(place)
    write(place.worktree, {name: "my work"})
    before = state(place.worktree)
    with pytest.raises(NotPossible, match=r"not from .* such as"):
        recover(place)
    assert state(place.worktree) == before
    assert refs.branch_tip(place.repo, "mh/one") == place.base


def test_a_branch_with_commits_is_left_alone(place: Place) -> None:
    git(place.worktree, "commit", "-q", "--allow-empty", "-m", "mine")
    half_made(place)
    with pytest.raises(NotPossible, match="commits of its own"):
        recover(place)
    assert refs.branch_tip(place.repo, "mh/one") is not None


def test_a_deleted_git_file_is_put_back(place: Place) -> None:
    (place.worktree / ".git").unlink()
    worktrees.reconnect(place.repo, place.worktree)
    assert git(place.worktree, "status", "--porcelain") == ""
