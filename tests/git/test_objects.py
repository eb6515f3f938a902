"""Objects that are written in this process are those that git itself would write."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.errors import GitFailed
from manyhands.git.objects import write_object
from manyhands.git.runner import Git
from manyhands.git.tree_edit import make_commit, make_tree
from manyhands.model.ids import Oid
from tests.support.samples import git

MISSING = Oid("1" * 40)


@pytest.fixture(params=["here", "by git"])
def repo(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    if request.param == "by git":
        git(tmp_path, "config", "core.sharedRepository", "group")
    return tmp_path


def test_a_tree_and_a_commit_are_as_git_makes_them(repo: Path) -> None:
    ours = Git(repo)
    blob = write_object(ours, "blob", b"a\0b\n")
    inner = make_tree(ours, [("blob", blob, "x")])
    # A folder sorts as if its name ended in a slash.
    tree = make_tree(ours, [("tree", inner, "a"), ("blob", blob, "a.txt"), ("blob", blob, "a-b")])
    first = make_commit(ours, tree, [], "one")
    made = make_commit(ours, tree, [first], "two")
    git(repo, "fsck", "--strict", made)
    assert git(repo, "ls-tree", "--name-only", tree).split() == ["a-b", "a.txt", "a"]
    assert git(repo, "log", "--format=%s %an", made).splitlines() == [
        "two Manyhands",
        "one Manyhands",
    ]
    listing = git(repo, "ls-tree", tree) + "\n"
    assert Git(repo).run("mktree", stdin=listing.encode()).line == tree


def test_what_names_a_missing_object_is_refused(repo: Path) -> None:
    ours = Git(repo)
    tree = make_tree(ours, [])
    with pytest.raises(GitFailed, match="is missing"):
        make_commit(ours, tree, [MISSING], "one")
    with pytest.raises(GitFailed, match="is missing"):
        make_tree(ours, [("blob", MISSING, "x")])
