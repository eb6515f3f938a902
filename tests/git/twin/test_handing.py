"""From the repository to the twin, and which way work goes."""

from __future__ import annotations

import shlex
import subprocess
import threading
from pathlib import Path

import pytest

from manyhands.git.twin.mirror import make_mirror, remote_mirror
from manyhands.git.twin.place import Synced
from manyhands.git.twin.syncing import bring_in, hand_out, release, sync
from tests.git.conftest import Place
from tests.git.twin.conftest import Boxed, boxed
from tests.git.twin.test_bringing import same_index
from tests.support.samples import commit_all, git, write


def test_a_commit_by_hand_is_handed_out(agent: Boxed) -> None:
    write(agent.worktree, {"by-hand.txt": "x"})
    made = commit_all(agent.worktree, "by hand")
    done = sync(agent.place, agent.prefix)
    assert (done.way, done.old, done.new) == ("out", agent.base, made)
    assert agent.git("rev-parse", "mh/one") == made
    assert agent.git("reflog", "-1", "--format=%gs") == "manyhands: moved outside the box"
    same_index(agent)
    assert agent.git("diff-files", "--name-only") == ""
    assert sync(agent.place, agent.prefix).way == "same"


def test_the_branch_set_back_outside_is_set_back_there(agent: Boxed) -> None:
    agent.commit({"x.txt": "x"})
    sync(agent.place, agent.prefix)
    git(agent.worktree, "reset", "-q", "--hard", agent.base)
    assert hand_out(agent.place, agent.prefix).way == "out"
    assert agent.git("rev-parse", "HEAD") == agent.base
    same_index(agent)


def test_what_is_staged_by_hand_is_handed_out(agent: Boxed) -> None:
    sync(agent.place, agent.prefix)
    write(agent.worktree, {"a.txt": "by hand\n"})
    git(agent.worktree, "add", "a.txt")
    assert sync(agent.place, agent.prefix).way == "out"
    same_index(agent)
    assert agent.git("show", ":a.txt") == "by hand"


def test_refs_of_the_user_follow_where_nobody_moved_them(agent: Boxed) -> None:
    for name in ("moved", "mine", "gone", "packed"):
        git(agent.repo, "branch", name)
    first = sync(agent.place, agent.prefix)
    assert (first.way, first.refs) == ("out", 4)
    agent.sh("git checkout -q mine; git commit -q --allow-empty -m m; git checkout -q mh/one")
    mine = agent.git("rev-parse", "mine")
    base = commit_all(agent.repo, "the base moves")
    for name in ("moved", "mine", "packed"):
        git(agent.repo, "branch", "-f", name, base)
    git(agent.repo, "branch", "-D", "gone")
    git(agent.repo, "tag", "-m", "t", "v2")
    git(agent.repo, "pack-refs", "--all")
    sync(agent.place, agent.prefix)
    listed = agent.git("for-each-ref", "--format=%(refname:short) %(objectname)")
    there = dict(line.split(" ") for line in listed.splitlines())
    assert [there[name] for name in ("main", "moved", "packed", "mine")] == [base] * 3 + [mine]
    assert "gone" not in there
    assert there["v2"] == git(agent.repo, "rev-parse", "v2")
    assert sync(agent.place, agent.prefix).refs == 0


def test_of_two_that_moved_the_one_that_has_all_of_the_other_wins(agent: Boxed) -> None:
    made = agent.commit({"x.txt": "x"})
    bring_in(agent.place, agent.prefix)
    write(agent.worktree, {"y.txt": "y"})
    more = commit_all(agent.worktree)
    git(agent.repo, "update-ref", f"{agent.place.under}/synced", agent.base)  # as after a kill
    assert sync(agent.place, agent.prefix).way == "out"
    assert agent.git("rev-parse", "HEAD") == more
    last = agent.commit({"z.txt": "z"})
    git(agent.repo, "update-ref", f"{agent.place.under}/synced", made)
    assert sync(agent.place, agent.prefix).new == last
    same_index(agent)


def diverge(agent: Boxed) -> tuple[Synced, str, str]:
    sync(agent.place, agent.prefix)
    tree = git(agent.repo, "rev-parse", "HEAD^{tree}")
    outside = git(agent.repo, "commit-tree", "-p", agent.base, "-m", "outside", tree)
    git(agent.worktree, "update-ref", "HEAD", outside)
    inside = agent.commit({"inside.txt": "x"})
    return sync(agent.place, agent.prefix), outside, inside


@pytest.mark.parametrize("way", [0, 1])
def test_two_that_went_apart_are_both_kept_and_each_way_out_works(agent: Boxed, way: int) -> None:
    done, outside, inside = diverge(agent)
    assert done.way == "diverged"
    assert "neither has all of the other" in done.note
    assert (agent.tip, agent.git("rev-parse", "HEAD")) == (outside, inside)
    assert [git(agent.repo, "rev-parse", ref) for ref in done.kept] == [inside, outside]
    command = done.commands[way]
    if way == 0:
        agent.sh(command.removeprefix("in the box: "))
    else:
        subprocess.run(shlex.split(command), check=True)
    assert sync(agent.place, agent.prefix).way in ("in", "same")
    assert agent.tip == agent.git("rev-parse", "HEAD")
    same_index(agent)
    git(agent.repo, "rev-parse", f"{outside}^{{tree}}")


def test_what_moves_outside_waits_for_the_end_of_a_rebase(agent: Boxed) -> None:
    agent.commit({"a.txt": "1\n"})
    sync(agent.place, agent.prefix)
    tip = agent.tip
    agent.sh(f"GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i {agent.base}")
    tree = git(agent.repo, "rev-parse", f"{tip}^{{tree}}")
    outside = git(agent.repo, "commit-tree", "-p", tip, "-m", "outside", tree)
    git(agent.worktree, "update-ref", "HEAD", outside)
    done = sync(agent.place, agent.prefix)
    assert (done.way, done.operation) == ("waits", "rebase")
    agent.git("rebase", "--abort")
    assert sync(agent.place, agent.prefix).way == "out"
    assert agent.git("rev-parse", "HEAD") == outside


def test_syncs_at_the_same_time_do_not_meet(agent: Boxed) -> None:
    made = agent.commit({"x.txt": "x"})
    found: list[Synced] = []
    work = [
        threading.Thread(target=lambda: found.append(sync(agent.place, agent.prefix)))
        for _ in range(4)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert sorted(done.way for done in found) == ["in", "same", "same", "same"]
    assert agent.tip == made


def test_the_base_is_fetched_from_the_mirror(place: Place, tmp_path: Path) -> None:
    remote = tmp_path / "remote"
    git(tmp_path, "clone", "-q", "--bare", place.repo, remote)
    git(place.repo, "remote", "add", "origin", remote)
    git(place.repo, "fetch", "-q", "origin")
    mirror = tmp_path / "mirrör"
    assert make_mirror(place.repo, mirror)
    agent = boxed(place.repo, place.worktree, mirror=mirror)
    assert mirror in agent.binds.read
    moved = commit_all(place.repo, "moved on")
    git(place.repo, "push", "-q", "origin", "HEAD:main")
    git(place.repo, "fetch", "-q", "origin")
    assert make_mirror(place.repo, mirror)
    agent.git("fetch", "origin")
    assert agent.git("rev-parse", "origin/main") == moved
    agent.git("rebase", "-q", "origin/main")
    done = sync(agent.place, agent.prefix)
    assert (done.new, done.kept) == (moved, ())
    # Pushing still goes where it went, and the address is what it was.
    assert agent.git("remote", "get-url", "--push", "origin") == str(remote)
    assert agent.git("remote", "get-url", "origin") == str(remote_mirror(mirror, "origin"))
    assert agent.git("ls-remote", "--get-url", f"{remote}-other") == f"{remote}-other"


def test_a_mirror_is_written_anew_only_when_refs_moved(place: Place, tmp_path: Path) -> None:
    git(place.repo, "remote", "add", "up/stream", "https://example.org/x")
    git(place.repo, "update-ref", "refs/remotes/up/stream/main", "HEAD")
    assert make_mirror(place.repo, tmp_path / "mirror")
    assert not make_mirror(place.repo, tmp_path / "mirror")
    listed = git(tmp_path, "ls-remote", remote_mirror(tmp_path / "mirror", "up/stream"))
    assert [line.split("\t")[1] for line in listed.splitlines()] == ["HEAD", "refs/heads/main"]


def test_what_was_borrowed_is_let_go(agent: Boxed) -> None:
    agent.git("branch", "kept")
    agent.commit({"x.txt": "x"})
    agent.git("branch", "kept-too")
    sync(agent.place, agent.prefix)
    release(agent.place)
    names = git(agent.repo, "for-each-ref", "--format=%(refname)", agent.place.under)
    assert names.removeprefix(f"{agent.place.under}/") != names
    assert f"{agent.place.under}/pins" not in names.split("\n")
    assert f"{agent.place.under}/heads/kept-too" in names.split("\n")


def test_a_tag_that_is_gone_with_its_object_goes_there_too(place: Place) -> None:
    git(place.repo, "tag", "-m", "t", "noted")
    agent = boxed(place.repo, place.worktree)
    git(place.repo, "tag", "-d", "noted")
    git(place.repo, "gc", "-q", "--prune=now")
    assert sync(agent.place, agent.prefix).refs == 1
    assert agent.git("tag") == ""
    agent.git("gc", "-q")


def test_what_was_staged_on_the_side_that_follows_is_kept(agent: Boxed) -> None:
    sync(agent.place, agent.prefix)
    write(agent.worktree, {"a.txt": "staged there\n"})
    agent.git("add", "a.txt")
    there = agent.git("rev-parse", ":a.txt")
    write(agent.worktree, {"a.txt": "by hand\n"})
    git(agent.worktree, "commit", "-qam", "by hand")
    done = sync(agent.place, agent.prefix)
    assert done.way == "out"
    assert there in git(agent.repo, "ls-tree", done.kept[0])
    # And the other way round.
    write(agent.worktree, {"a.txt": "staged here\n"})
    git(agent.worktree, "add", "a.txt")
    here = git(agent.worktree, "rev-parse", ":a.txt")
    write(agent.worktree, {"a.txt": "staged there again\n"})
    agent.git("add", "a.txt")
    done = sync(agent.place, agent.prefix)
    assert done.way == "in"
    same_index(agent)
    git(agent.repo, "gc", "-q", "--prune=now")
    assert here in git(agent.repo, "ls-tree", done.kept[0])
