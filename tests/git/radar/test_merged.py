"""Merged or not: by merge, rebase and squash, wherever things are checked out."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.errors import NotPossible
from manyhands.git.radar import merged
from manyhands.git.rescue import trash
from manyhands.model.ids import Oid
from tests.support.samples import commit_all, git, write


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """On main, with a worktree that has the branch `work` checked out, three commits on."""
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    write(repo, {"a.txt": "a\n" * 30, "b.txt": "b\n" * 30})
    commit_all(repo, "first")
    git(repo, "worktree", "add", "-q", "-b", "work", tmp_path / "tree")
    tree = tmp_path / "tree"
    for number in range(3):
        write(
            tree, {f"new{number}.txt": f"{number}\n", "a.txt": f"changed {number}\n" + "a\n" * 30}
        )
        commit_all(tree, f"work {number}")
    return repo


def base(repo: Path) -> Oid:
    return Oid(git(repo, "rev-list", "--max-parents=0", "main"))


def move_on(repo: Path) -> None:
    write(repo, {"b.txt": "meanwhile\n" + "b\n" * 30})
    commit_all(repo, "meanwhile")


def merge(repo: Path) -> None:
    move_on(repo)
    git(repo, "merge", "-q", "--no-edit", "work")


def fast_forward(repo: Path) -> None:
    git(repo, "merge", "-q", "--ff-only", "work")


def rebase(repo: Path) -> None:
    move_on(repo)
    git(repo, "cherry-pick", "main~1..work")


def squash(repo: Path) -> None:
    move_on(repo)
    git(repo, "merge", "-q", "--squash", "work")
    commit_all(repo, "all of work (#1)")


def squash_and_more(repo: Path) -> None:
    squash(repo)
    write(repo, {"c.txt": "later\n"})
    commit_all(repo, "later")


def squash_with_an_edit(repo: Path) -> None:
    """By tree: the squash has a change of the reviewer's in another file."""
    git(repo, "merge", "-q", "--squash", "work")
    write(repo, {"b.txt": "reviewed\n" + "b\n" * 30})
    commit_all(repo, "all of work, reviewed")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (merge, "merge"),
        (fast_forward, "merge"),
        (rebase, "rebase"),
        (squash, "squash"),
        (squash_and_more, "squash"),
        (squash_with_an_edit, "squash"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_merged_work_is_recognised_while_checked_out(repo: Path, how: object, said: str) -> None:
    start = base(repo)
    assert merged.find_merge(repo, "work", start, "main") is None
    assert callable(how)
    how(repo)
    assert merged.find_merge(repo, "work", start, "main") == (said, "main")


def test_a_squash_on_a_remote_whose_branch_and_head_are_gone_is_recognised(
    repo: Path, tmp_path: Path
) -> None:
    start = base(repo)
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", repo, remote)
    git(repo, "remote", "add", "origin", remote)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", remote, clone)
    git(clone, "merge", "-q", "--squash", "origin/work")
    commit_all(clone, "squashed")
    git(clone, "push", "-q", "origin", "main")
    git(remote, "update-ref", "-d", "refs/heads/work")
    git(repo, "fetch", "-q", "--prune", "origin")
    assert git(repo, "symbolic-ref", "-q", "refs/remotes/origin/HEAD", check=False) == ""
    assert merged.find_merge(repo, "work", start, "main") == ("squash", "origin/main")


def test_a_branch_without_commits_is_never_merged(repo: Path) -> None:
    tip = Oid(git(repo, "rev-parse", "main"))
    git(repo, "branch", "fresh", "main")
    assert merged.find_merge(repo, "fresh", tip, "main") is None
    move_on(repo)
    assert merged.find_merge(repo, "fresh", tip, "main") is None


def test_half_of_a_branch_is_not_merged(repo: Path) -> None:
    start = base(repo)
    git(repo, "cherry-pick", "work~2")
    assert merged.find_merge(repo, "work", start, "main") is None


def test_looking_leaves_no_object_behind(repo: Path) -> None:
    before = git(repo, "count-objects", "-v")
    merged.find_merge(repo, "work", base(repo), "main")
    assert git(repo, "count-objects", "-v") == before


def test_a_branch_that_moved_after_the_check_is_left_alone(repo: Path, tmp_path: Path) -> None:
    seen = Oid(git(repo, "rev-parse", "work"))
    tree = tmp_path / "tree"
    with pytest.raises(NotPossible, match="in use at"):
        trash.delete_branch(repo, "work", seen)
    write(tree, {"more": "work"})
    moved = commit_all(tree)
    git(tree, "checkout", "-q", "--detach")
    with pytest.raises(NotPossible, match="moved meanwhile"):
        trash.delete_branch(repo, "work", seen)
    assert git(repo, "rev-parse", "work") == moved
    trash.delete_branch(repo, "work", moved)
    assert git(repo, "branch", "--list", "work") == ""
