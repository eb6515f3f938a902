"""A few new objects come over without a box, if they are all right and all there."""

from __future__ import annotations

import pytest

from manyhands.git.twin import loose
from manyhands.git.twin.clean_index import is_tree
from manyhands.git.twin.fetching import fetch_objects
from manyhands.git.twin.syncing import bring_in
from tests.git.twin.conftest import Boxed
from tests.support.samples import git

NO_BOX = ("/nonexistent/box",)


def test_a_commit_comes_over_where_no_box_could_be_started(agent: Boxed) -> None:
    agent.commit({"deep/er/new.txt": "x", "a.txt": "changed\n"})
    made = agent.commit({"second.txt": "y"})
    assert bring_in(agent.place, NO_BOX).new == made
    assert agent.tip == made
    assert git(agent.worktree, "status", "--porcelain") == ""
    git(agent.repo, "fsck", "--strict")


def test_an_annotated_tag_brings_what_it_names(agent: Boxed) -> None:
    made = agent.commit({"x.txt": "x"})
    agent.git("tag", "-a", "-m", "one", "v1")
    fetch_objects(agent.place, NO_BOX, [agent.git("rev-parse", "v1")], [agent.base])
    assert git(agent.repo, "rev-parse", f"{agent.git('rev-parse', 'v1')}^{{}}") == made


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["ünï.txt"], id="a name that may look like another"),
        pytest.param([".gitattributes"], id="a file that git reads"),
        pytest.param([f"{n}.txt" for n in range(loose.MOST)], id="many objects"),
    ],
)
def test_what_is_not_looked_at_here_is_fetched(agent: Boxed, names: list[str]) -> None:
    made = agent.commit({name: name for name in names})
    assert loose.load_pack(agent.place.twin, [made], [agent.base]) is None
    assert bring_in(agent.place, agent.prefix).new == made


def test_too_many_bytes_are_fetched(agent: Boxed, monkeypatch: pytest.MonkeyPatch) -> None:
    made = agent.commit({"x.txt": "x" * 100_000})
    assert loose.load_pack(agent.place.twin, [made], [agent.base]) is not None
    monkeypatch.setattr(loose, "MOST_BYTES", 50_000)
    assert loose.load_pack(agent.place.twin, [made], [agent.base]) is None


def test_an_index_is_a_tree_only_while_nothing_is_staged(agent: Boxed) -> None:
    agent.commit({"TREE/TREE.txt": "TREE"})
    tree = agent.git("rev-parse", "HEAD^{tree}")
    assert is_tree(agent.place.twin, tree)
    assert not is_tree(agent.place.twin, agent.base)
    assert not is_tree(agent.place.twin, "")
    (agent.worktree / "a.txt").write_text("staged\n")
    agent.git("add", "a.txt")
    assert not is_tree(agent.place.twin, tree)
    agent.git("reset", "-q", "--hard")
    (agent.worktree / "TREE" / "new.txt").write_text("meant\n")
    agent.git("add", "-N", "TREE/new.txt")
    assert not is_tree(agent.place.twin, tree)


def test_a_parent_that_leads_elsewhere_is_not_opened(agent: Boxed) -> None:
    tree = agent.git("rev-parse", "HEAD^{tree}")
    lie = "../../../../../../../../../etc/passwd".ljust(40, "/")
    who = "a <a> 0 +0000"
    made = agent.sh(
        f"printf 'tree {tree}\\nparent {lie}\\nauthor {who}\\ncommitter {who}\\n\\nx' "
        "| git hash-object -w -t commit --literally --stdin"
    )
    assert loose.load_pack(agent.place.twin, [made], [agent.base]) is None
