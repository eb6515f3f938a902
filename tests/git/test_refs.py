from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from manyhands.errors import BadInput, NotPossible
from manyhands.git import refs
from manyhands.model.ids import Oid
from manyhands.model.workspace.branch_names import BranchNames
from tests.git.conftest import Place
from tests.support.samples import commit_all, git, write


def test_a_repository_is_found_from_inside_it(place: Place) -> None:
    inside = refs.find_repository(place.worktree / "src")
    main = refs.find_repository(place.repo)
    assert inside is not None
    assert main is not None
    assert (inside.toplevel, main.toplevel) == (place.worktree, place.repo)
    assert inside.common_dir == main.common_dir == place.repo / ".git"


def test_a_path_that_is_no_repository_is_none(tmp_path: Path) -> None:
    assert refs.find_repository(tmp_path) is None
    assert refs.find_repository(tmp_path / "missing") is None
    with pytest.raises(BadInput, match="not inside a git repository"):
        refs.require_repository(tmp_path)


def test_a_bare_repository_is_known_as_one(place: Place, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", place.repo, "bare.git")
    found = refs.find_repository(tmp_path / "bare.git")
    assert found is not None
    assert found.bare
    assert found.toplevel == tmp_path / "bare.git"
    assert refs.default_base(tmp_path / "bare.git") == "main"


def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert not refs.has_commits(tmp_path)
    assert refs.current_branch(tmp_path) == "trunk"
    assert refs.default_base(tmp_path) == "HEAD"


def test_the_default_base_is_the_remotes_default_branch(repo: Path, tmp_path: Path) -> None:
    git(repo, "branch", "-m", "develop")
    git(tmp_path, "clone", "-q", repo, "clone")
    clone = tmp_path / "clone"
    git(clone, "checkout", "-q", "-b", "topic")
    assert refs.default_base(clone) == "origin/develop"
    git(clone, "remote", "set-head", "origin", "-d")
    assert refs.default_base(clone) == "topic"
    git(repo, "branch", "master")
    git(clone, "fetch", "-q")
    assert refs.default_base(clone) == "origin/master"
    git(repo, "branch", "main")
    git(clone, "fetch", "-q")
    assert refs.default_base(clone) == "origin/main"


def test_a_shallow_clone_works(repo: Path, tmp_path: Path) -> None:
    commit_all(repo, "second")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "shallow")
    assert refs.resolve(tmp_path / "shallow", "HEAD") == refs.resolve(repo, "HEAD")


@pytest.mark.parametrize("ref", ["nothing", "--all", "HEAD:a.txt", "", "a\0b", "-x", "HEAD^5"])
def test_what_names_no_commit_resolves_to_nothing(repo: Path, ref: str) -> None:
    assert refs.resolve(repo, ref) is None


def test_a_ref_moves_only_from_where_it_was_seen(repo: Path) -> None:
    first = Oid(git(repo, "rev-parse", "HEAD"))
    second = commit_all(repo)
    refs.set_ref(repo, "refs/manyhands/x", first, None)
    with pytest.raises(NotPossible, match="moved meanwhile"):
        refs.set_ref(repo, "refs/manyhands/x", second, None)
    with pytest.raises(NotPossible, match="moved meanwhile"):
        refs.set_ref(repo, "refs/manyhands/x", first, second)
    refs.set_ref(repo, "refs/manyhands/x", second, first)
    assert refs.private_refs(repo, "") == {"refs/manyhands/x": second}
    with pytest.raises(NotPossible, match="moved meanwhile"):
        refs.delete_ref(repo, "refs/manyhands/x", first)
    refs.delete_ref(repo, "refs/manyhands/x", second)
    assert refs.private_refs(repo, "") == {}


@pytest.mark.parametrize(
    ("there", "template", "slug", "given"),
    [
        ([], "{slug}", "fix", "fix"),
        (["fix"], "{slug}", "fix", "fix-2"),
        (["fix", "fix-2"], "{slug}", "fix", "fix-3"),
        (["Fix"], "{slug}", "fix", "fix-2"),
        (["feature/x"], "{slug}", "feature", "feature-2"),
        (["feature"], "feature/{slug}", "x", "feature-x"),
        (["feature", "feature-x"], "feature/{slug}", "x", "feature-x-2"),
        (["a/b"], "a/{slug}", "c", "a/c"),
    ],
)
def test_a_free_branch_meets_no_other(
    repo: Path, there: list[str], template: str, slug: str, given: str
) -> None:
    for name in there:
        git(repo, "branch", name)
    names = BranchNames(template, refs.load_ref_table(repo).heads)
    slugs = itertools.chain([slug], (f"{slug}-{n}" for n in itertools.count(2)))
    assert names.name(next(s for s in slugs if not names.is_taken(s))) == given
    git(repo, "branch", given)


def test_a_worktree_without_its_git_file_is_not_taken_for_the_repo_around_it(repo: Path) -> None:
    inner = repo / "inner"
    inner.mkdir()
    git(repo, "worktree", "add", "-q", "--detach", inner / "tree")
    (inner / "tree/.git").unlink()
    with pytest.raises(NotPossible, match="not a git worktree"):
        refs.require_worktree(inner / "tree")


def test_a_link_to_a_worktree_is_refused(place: Place, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(place.worktree)
    with pytest.raises(NotPossible, match="symbolic link"):
        refs.require_worktree(tmp_path / "link")
    write(tmp_path, {"x": ""})
