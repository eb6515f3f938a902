"""From the twin to the repository: the branch is live, and nothing else of the user's moves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manyhands.git.twin.state import operation
from manyhands.git.twin.syncing import bring_in, sync
from tests.git.conftest import Place
from tests.git.twin.conftest import Boxed, boxed, users_own
from tests.support.samples import commit_all, git, write


def same_index(agent: Boxed) -> None:
    listing = ("ls-files", "--stage")
    assert git(agent.worktree, *listing) == agent.git(*listing)
    status = ("status", "--porcelain=v2", "--branch")
    assert git(agent.worktree, *status) == agent.git(*status)


def test_a_commit_comes_over_with_its_logs(agent: Boxed) -> None:
    made = agent.commit({"new.txt": "x", "a.txt": "changed\n", "ünï/cödé.txt": "y"})
    done = bring_in(agent.place, agent.prefix)
    assert (done.way, done.old, done.new) == ("in", agent.base, made)
    assert agent.tip == made
    for log in ("HEAD", "mh/one"):
        said = git(agent.worktree, "reflog", "show", "-1", "--format=%H %gs", log)
        assert said == f"{made} manyhands: brought in from the box"
    same_index(agent)
    # What is known of files is known here as well.
    assert git(agent.worktree, "diff-files", "--name-only") == ""
    git(agent.repo, "fsck", "--strict")


def test_nothing_new_is_told_at_a_glance(agent: Boxed) -> None:
    agent.commit({"new.txt": "x"})
    ways = [sync(agent.place, agent.prefix).way for _ in range(3)]
    assert ways == ["in", "same", "same"]


def test_a_rewritten_history_leaves_the_old_one_to_the_log(agent: Boxed) -> None:
    first = agent.commit({"new.txt": "x"})
    bring_in(agent.place, agent.prefix)
    agent.git("commit", "-q", "--amend", "-m", "better")
    done = bring_in(agent.place, agent.prefix)
    assert done.old == first
    assert git(agent.worktree, "rev-parse", "mh/one@{1}") == first
    agent.git("reset", "-q", "--hard", agent.base)
    bring_in(agent.place, agent.prefix)
    assert agent.tip == agent.base
    same_index(agent)


def test_what_is_staged_and_not_committed_comes_over(agent: Boxed) -> None:
    write(agent.worktree, {"new.txt": "staged\n", "a.txt": "staged\n"})
    (agent.worktree / "old.txt").unlink()
    agent.sh("git add -A; chmod +x src/b.py; git add src/b.py; ln -s a.txt link; git add link")
    write(agent.worktree, {"a.txt": "not staged\n"})
    done = bring_in(agent.place, agent.prefix)
    assert done.staged == 5
    same_index(agent)
    assert git(agent.worktree, "show", ":a.txt") == "staged"
    git(agent.repo, "gc", "-q", "--prune=now")
    assert git(agent.worktree, "show", ":new.txt") == "staged"
    agent.git("reset", "-q")
    bring_in(agent.place, agent.prefix)
    same_index(agent)


def test_conflicts_come_over_with_all_sides(agent: Boxed) -> None:
    mine = agent.commit({"a.txt": "mine\n"})
    agent.git("checkout", "-q", "-b", "side", agent.base)
    agent.commit({"a.txt": "theirs\n"})
    agent.git("checkout", "-q", "mh/one")
    agent.git("merge", "side", check=False)
    done = bring_in(agent.place, agent.prefix)
    assert (done.operation, done.new) == ("merge", mine)
    assert operation(agent.place.twin) == "merge"
    assert git(agent.worktree, "ls-files", "-u") == agent.git("ls-files", "-u")
    write(agent.worktree, {"a.txt": "both\n"})
    agent.git("commit", "-qam", "merged")
    bring_in(agent.place, agent.prefix)
    same_index(agent)


def test_in_the_middle_of_a_rebase_the_branch_stays(agent: Boxed) -> None:
    for n in range(3):
        agent.commit({f"f{n}.txt": "x", "a.txt": f"{n}\n"})
    bring_in(agent.place, agent.prefix)
    before = agent.tip
    editor = "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/'"
    agent.sh(f"{editor} git rebase -q -i {agent.base}; git commit -q --amend -m edited")
    done = bring_in(agent.place, agent.prefix)
    assert done.operation == "rebase"
    assert agent.tip == before
    edited = agent.git("rev-parse", "HEAD")
    assert git(agent.repo, "rev-parse", f"{agent.place.under}/head") == edited
    agent.git("rebase", "--continue")
    assert bring_in(agent.place, agent.prefix).old == before
    assert (
        git(agent.repo, "log", "--format=%s", f"{agent.base}..mh/one").split("\n")[-1] == "edited"
    )
    same_index(agent)


def test_whatever_else_was_made_is_kept_apart(agent: Boxed) -> None:
    before = users_own(agent.repo)
    side = agent.sh(
        "git checkout -q -b séite/x; git commit -q --allow-empty -m s; git rev-parse HEAD"
    )
    agent.sh("git tag -a -m t v9; git tag light; git branch -f main HEAD; git checkout -q mh/one")
    for text in ("one", "two"):
        write(agent.worktree, {"a.txt": text})
        agent.git("stash")
    stashed = agent.git("log", "-g", "--format=%H", "refs/stash").split()
    done = bring_in(agent.place, agent.prefix)
    names = {name.removeprefix(f"{agent.place.under}/") for name in done.kept}
    assert names == {
        "heads/main",
        "heads/séite/x",
        "tags/v9",
        "tags/light",
        *(f"stash/{oid}" for oid in stashed),
    }
    assert git(agent.repo, "rev-parse", f"{agent.place.under}/heads/séite/x") == side
    after = users_own(agent.repo)
    assert after == before
    git(agent.repo, "gc", "-q", "--prune=now")
    for oid in (side, *stashed):
        git(agent.repo, "rev-list", "--objects", oid)
    # Nothing is lost when it is deleted there, even if the name is in another's way.
    agent.sh("git branch -q -D séite/x; git branch séite; git stash drop -q")
    bring_in(agent.place, agent.prefix)
    git(agent.repo, "rev-parse", f"{agent.place.under}/gone/{side}")
    git(agent.repo, "rev-parse", f"{agent.place.under}/heads/séite")


def test_what_only_logs_remember_can_be_kept(agent: Boxed) -> None:
    lost: list[str] = [agent.commit({"a.txt": "lost\n"})]
    agent.git("commit", "-q", "--amend", "-m", "other")
    lost.append(agent.git("rev-parse", "HEAD"))
    agent.git("reset", "-q", "--hard", agent.base)
    done = bring_in(agent.place, agent.prefix, everything=True)
    assert done.kept == (f"{agent.place.under}/reflog",)
    git(agent.repo, "gc", "-q", "--prune=now")
    for oid in lost:
        git(agent.repo, "rev-list", "--objects", oid)


def test_the_box_on_another_branch_is_told(agent: Boxed) -> None:
    agent.sh("git switch -q -c other; git commit -q --allow-empty -m there")
    done = bring_in(agent.place, agent.prefix)
    assert done.note == "the box is on the branch other, not on mh/one"
    assert agent.tip == agent.base


def test_a_merge_that_was_begun_outside_is_over_on_both_sides(place: Place) -> None:
    write(place.worktree, {"a.txt": "mine\n"})
    commit_all(place.worktree)
    write(place.repo, {"a.txt": "yours\n"})
    git(place.worktree, "merge", commit_all(place.repo), check=False)
    agent = boxed(place.repo, place.worktree)
    write(place.worktree, {"a.txt": "both\n"})
    agent.git("commit", "-q", "-a", "-m", "merged")
    bring_in(agent.place, agent.prefix)
    assert "merging" not in git(place.worktree, "status")
    same_index(agent)


def test_a_rebase_that_was_begun_outside_is_over_on_both_sides(place: Place) -> None:
    write(place.worktree, {"a.txt": "mine\n"})
    commit_all(place.worktree)
    write(place.repo, {"a.txt": "yours\n"})
    git(place.worktree, "rebase", commit_all(place.repo), check=False)
    agent = boxed(place.repo, place.worktree)
    write(place.worktree, {"a.txt": "both\n"})
    agent.git("add", "a.txt")
    agent.git("rebase", "--continue")
    bring_in(agent.place, agent.prefix)
    assert git(place.worktree, "symbolic-ref", "HEAD") == "refs/heads/mh/one"
    assert "rebas" not in git(place.worktree, "status")
    same_index(agent)


def test_a_sparse_checkout_stays_sparse(place: Place) -> None:
    git(place.worktree, "sparse-checkout", "set", "src")
    agent = boxed(place.repo, place.worktree)
    write(place.repo, {"other/x.txt": "x"})
    theirs = commit_all(place.repo)
    sync(agent.place, agent.prefix)
    agent.git("merge", "-q", theirs)
    sync(agent.place, agent.prefix)
    assert git(place.worktree, "status", "--porcelain") == ""
    assert not (place.worktree / "other").exists()


def test_an_index_that_is_held_follows_later(agent: Boxed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manyhands.git.twin.staging.PATIENCE_SECONDS", 0.1)
    lock = Path(git(agent.worktree, "rev-parse", "--absolute-git-dir")) / "index.lock"
    lock.touch()
    made = agent.commit({"new.txt": "x"})
    done = sync(agent.place, agent.prefix)
    assert done.note.startswith("another git holds the index")
    assert agent.tip == made
    lock.unlink()
    sync(agent.place, agent.prefix)
    same_index(agent)


def test_work_in_submodules_is_named(place: Place, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    git(tmp_path, "init", "-q", inner)
    write(inner, {"i.txt": "i"})
    commit_all(inner)
    git(place.worktree, "-c", "protocol.file.allow=always", "submodule", "-q", "add", inner, "sub")
    commit_all(place.worktree, "with a submodule")
    agent = boxed(place.repo, place.worktree)
    agent.sh("cd sub; echo more >i.txt; git -c user.name=a -c user.email=b commit -qam inner")
    agent.git("add", "sub")
    bring_in(agent.place, agent.prefix)
    same_index(agent)
    agent.git("commit", "-qm", "moved on")
    bring_in(agent.place, agent.prefix)
    assert git(place.worktree, "status", "--porcelain") == ""


def test_names_that_are_no_text_come_over(agent: Boxed) -> None:
    (agent.worktree / os.fsdecode(b'odd\xff\n\t"name')).write_text("x")
    agent.git("add", "-A")
    bring_in(agent.place, agent.prefix)
    same_index(agent)
    agent.git("commit", "-qm", "odd")
    bring_in(agent.place, agent.prefix)
    same_index(agent)
