"""Which branches a base's name stands for, and which of the two is the base as it is now."""

from __future__ import annotations

from pathlib import Path

import pygit2
import pytest

from manyhands.git.bases import load_base_now, ref_marks
from manyhands.git.repository import open_repository
from tests.support.sides import commit_all, git, make_repository, write


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = make_repository(tmp_path, {"a.txt": "a\n"})
    git(made, "remote", "add", "origin", "/nowhere")
    git(made, "remote", "add", "team/fork", "/nowhere")
    return made


def commit(repo: Path, ref: str, name: str) -> str:
    """One more on top of whatever the ref is at."""
    git(repo, "checkout", "-q", "--detach", ref)
    write(repo / name, "x\n")
    made = commit_all(repo)
    git(repo, "update-ref", ref, made)
    return made


HERE, THERE = "refs/heads/main", "refs/remotes/origin/main"


@pytest.mark.parametrize("ahead", [0, 1, 2])
@pytest.mark.parametrize("behind", [0, 1, 3])
@pytest.mark.parametrize("packed", [False, True])
def test_the_two_are_told_apart_as_git_counts_and_the_further_one_is_the_base(
    repo: Path, ahead: int, behind: int, packed: bool
) -> None:
    git(repo, "update-ref", THERE, HERE)
    for number in range(ahead):
        commit(repo, HERE, f"here-{number}")
    for number in range(behind):
        commit(repo, THERE, f"there-{number}")
    if packed:
        git(repo, "pack-refs", "--all")
    here, there = (git(repo, "rev-parse", ref) for ref in (HERE, THERE))
    word = ["same", "ahead", "behind", "diverged"][bool(ahead) + 2 * bool(behind)]
    for name, named in (("main", here), ("origin/main", there)):
        found = load_base_now(repo, name)
        assert (found.relation, found.ahead, found.behind) == (word, ahead, behind)
        assert (found.local, found.upstream, found.tracking) == (here, there, "origin/main")
        further = {"ahead": here, "behind": there}.get(word, named)
        assert (found.tip, git(repo, "rev-parse", found.tip_name)) == (further, further)


def test_a_name_stands_for_what_git_would_take_it_for(repo: Path) -> None:
    git(repo, "branch", "topic")
    git(repo, "update-ref", "refs/remotes/team/fork/topic", "main")
    assert load_base_now(repo, "team/fork/topic").branch == "topic"
    assert load_base_now(repo, "topic").relation == "local", "only origin is the one to follow"
    git(repo, "config", "branch.topic.remote", "team/fork")
    git(repo, "config", "branch.topic.merge", "refs/heads/topic")
    assert load_base_now(repo, "topic").tracking == "team/fork/topic"
    git(repo, "config", "branch.topic.remote", ".")
    assert load_base_now(repo, "topic").relation == "local"
    for name in ("HEAD", "main~0", git(repo, "rev-parse", "main")[:9]):
        assert load_base_now(repo, name).relation == "fixed"
    gone = load_base_now(repo, "nothing")
    assert (gone.relation, gone.tip, gone.words) == ("missing", "", "")


@pytest.mark.parametrize("ref", [HERE, THERE])
@pytest.mark.parametrize("name", ["main", "origin/main"])
def test_a_move_shows_in_the_marks_and_nothing_else_does(repo: Path, ref: str, name: str) -> None:
    git(repo, "update-ref", THERE, HERE)
    git(repo, "pack-refs", "--all")
    base = load_base_now(repo, name)
    before = ref_marks(repo, [base])
    git(repo, "branch", "other")
    commit(repo, "refs/heads/other", "other")
    assert ref_marks(repo, [base]) == before
    commit(repo, ref, "moved")
    assert ref_marks(repo, [base]) != before


def test_opening_a_repository_changes_nothing_that_other_threads_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of extensions is libgit2's own, for the whole process, and freed when it is set: a
    hub that set it at every opening died of it, once in many creations at once."""
    git(tmp_path, "init", "-q", "-b", "main", "repo")
    git(tmp_path / "repo", "config", "extensions.partialclone", "origin")
    git(tmp_path / "repo", "config", "core.repositoryformatversion", "1")
    monkeypatch.delattr(type(pygit2.settings), "set_extensions")
    assert not open_repository(tmp_path / "repo").is_bare
