"""Merging here with a remote: onto the branch that is meant, and nothing but the session's own."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.support.driver import Json, Refused, of_type
from tests.support.remote_hub import RemoteHub, hub, lasting_hub, lines, sshd
from tests.support.sshd import Sshd

__all__ = ["hub", "lasting_hub", "sshd"]

METHODS = ("merge", "squash", "rebase")


def merge(hub: RemoteHub, made: Json, **how: object) -> Json:
    return hub.act(made["id"], "merge", **how)


def own_diff(hub: RemoteHub, made: Json, *others: str) -> str:
    """What the session itself changed since it left all that others have."""
    left = hub.git("merge-base", made["branch"], *others, cwd=hub.repo).strip()
    return hub.git("diff", left, made["branch"], cwd=hub.repo)


def landed_diff(hub: RemoteHub, done: Json) -> str:
    return hub.git("diff", done["before"], done["commit"], cwd=hub.repo)


def run_hint(hint: str, nth: int) -> None:
    """Whatever a refusal names as the way out, word for word."""
    command = shlex.split(hint.split("`")[2 * nth + 1])
    subprocess.run(command, check=True, capture_output=True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("way", ["path", "ssh"])
def test_a_target_that_is_behind_is_brought_forward_first_or_left_alone(
    hub: RemoteHub, request: pytest.FixtureRequest, way: str, method: str
) -> None:
    if way == "ssh":
        server: Sshd = request.getfixturevalue("sshd")
        hub.begin(server)
    before = hub.at("main")
    hub.push({"theirs.txt": "1\n"}, "First of theirs")
    newest = hub.push({"theirs.txt": "2\n"}, "Second of theirs")
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    assert a["base_commit"] == newest
    with pytest.raises(Refused, match="main is 2 commits behind origin/main") as caught:
        merge(hub, a, method=method)
    assert "--forward" in caught.value.hint
    with pytest.raises(Refused, match="2 commits behind"):
        merge(hub, a, method=method, dry_run=True)
    dry = merge(hub, a, method=method, dry_run=True, forward=True)
    assert (dry["forwarded"], dry["commits"]) == (newest, ["Alpha's own"])
    assert (dry["base"]["relation"], dry["base"]["behind"]) == ("behind", 2)
    assert hub.at("main") == before
    done = merge(hub, a, method=method, forward=True)
    assert landed_diff(hub, done) == own_diff(hub, a, newest)
    assert (done["before"], done["forwarded"], hub.at("main")) == (newest, newest, done["commit"])
    assert (done["base"]["relation"], done["base"]["behind"]) == ("ahead", 0)
    firsts = hub.git("log", "--first-parent", "--format=%s", f"{before}..main", cwd=hub.repo)
    assert firsts.splitlines()[1:] == ["Second of theirs", "First of theirs"]
    assert hub.git("status", "--porcelain", cwd=hub.repo) == ""
    forwarded = of_type(hub.events(a["id"]), "target_forwarded")
    assert [(f["before"], f["commit"]) for f in forwarded] == [(before, newest)]


def test_one_who_started_before_is_not_driven_apart_from_the_remote(hub: RemoteHub) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})}, base="main")
    newest = hub.push({"theirs.txt": "1\n"})
    with pytest.raises(Refused, match="main is 1 commit behind origin/main"):
        merge(hub, a)
    done = merge(hub, a, forward=True)
    assert done["before"] == newest
    hub.git("push", "-q", "origin", "main", cwd=hub.repo)


@pytest.mark.parametrize("method", METHODS)
def test_a_target_that_is_ahead_is_merged_onto_and_that_is_said(
    hub: RemoteHub, method: str
) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    mine = hub.commit(hub.repo, {"mine.txt": "1\n"})
    done = merge(hub, a, method=method)
    assert done["before"] == mine
    assert landed_diff(hub, done) == own_diff(hub, a, mine)
    assert "main is" in done["base"]["words"]
    assert "ahead of origin/main" in done["base"]["words"]


@pytest.mark.parametrize("method", METHODS)
def test_where_both_went_their_ways_only_its_own_comes_in(hub: RemoteHub, method: str) -> None:
    theirs = hub.push({"theirs.txt": "1\n"})
    mine = hub.commit(hub.repo, {"mine.txt": "1\n"})
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    if method == "merge":
        with pytest.raises(Refused, match="1 commit that is not its own into main") as caught:
            merge(hub, a)
        assert "have diverged: 1 commit only here, 1 only there" in caught.value.message
        assert hub.at("main") == mine
        run_hint(caught.value.hint, 2)
        done = merge(hub, a)
        assert landed_diff(hub, done) == own_diff(hub, a, theirs)
        return
    done = merge(hub, a, method=method)
    assert (done["commits"], done["base"]["relation"]) == (["Alpha's own"], "diverged")
    assert landed_diff(hub, done) == own_diff(hub, a, theirs)
    assert "theirs.txt" not in hub.git("ls-tree", "--name-only", "main", cwd=hub.repo)


@pytest.mark.parametrize("method", METHODS)
def test_another_branch_gets_nothing_of_what_the_base_has_beyond_it(
    hub: RemoteHub, method: str
) -> None:
    hub.git("branch", "release", "main", cwd=hub.repo)
    newest = hub.push({"theirs.txt": "1\n"})
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    if method == "merge":
        with pytest.raises(Refused, match="1 commit that is not its own into release") as caught:
            merge(hub, a, into="release")
        assert "--method squash" in caught.value.hint
        return
    done = merge(hub, a, into="release", method=method)
    assert landed_diff(hub, done) == own_diff(hub, a, newest)
    assert hub.git("ls-tree", "--name-only", "release", cwd=hub.repo).split() == [
        "one.txt",
        "two.txt",
    ]


@pytest.mark.parametrize("method", METHODS)
def test_what_was_brought_in_and_settled_on_the_way_is_not_its_own_or_is_all_there(
    hub: RemoteHub, method: str
) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    worktree = Path(a["worktree"])
    newest = hub.push({"one.txt": lines(30, {20: "theirs"}), "theirs.txt": "1\n"})
    hub.act(a["id"], "update")
    hub.commit(worktree, {"two.txt": lines(30, {5: "Alpha"})}, "Later")
    done = merge(hub, a, method=method, forward=True)
    assert landed_diff(hub, done) == own_diff(hub, a, newest)
    assert "theirs.txt" not in landed_diff(hub, done)


def test_a_merge_that_holds_changes_of_its_own_is_not_lost_by_a_rebase(hub: RemoteHub) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    worktree = Path(a["worktree"])
    hub.push({"theirs.txt": "1\n"})
    hub.git("fetch", "-q", cwd=worktree)
    hub.git("merge", "-q", "--no-commit", "--no-ff", "origin/main", cwd=worktree)
    hub.commit(worktree, {"settled.txt": "only in the merge\n"}, "Merged by hand")
    with pytest.raises(Refused, match="merge commits hold changes") as caught:
        merge(hub, a, method="rebase", forward=True)
    assert "--method squash" in caught.value.hint
    done = merge(hub, a, method="squash", forward=True)
    assert "settled.txt" in landed_diff(hub, done)


def test_a_remote_that_is_away_stops_no_merge_and_is_said(hub: RemoteHub) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    hub.bare.rename(hub.bare.with_name("gone.git"))
    dry = merge(hub, a, dry_run=True)
    assert "origin could not be asked" in dry["base"]["words"]
    assert "as of just now" in dry["base"]["words"]
    done = merge(hub, a)
    assert done["commit"] == hub.at("main")
    assert done["base"]["error"]


def test_a_checkout_with_unfinished_work_is_not_brought_forward(hub: RemoteHub) -> None:
    before = hub.at("main")
    hub.push({"theirs.txt": "1\n"})
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    (hub.repo / "two.txt").write_text("unfinished\n")
    with pytest.raises(Refused, match="not moved under you"):
        merge(hub, a, forward=True)
    assert (hub.at("main"), (hub.repo / "two.txt").read_text()) == (before, "unfinished\n")


def test_what_the_remote_has_already_is_not_merged_again(hub: RemoteHub) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    hub.git("push", "-q", str(hub.bare), f"{a['branch']}:main", cwd=hub.repo)
    with pytest.raises(Refused, match=r"origin/main has everything of alpha.* already"):
        merge(hub, a)


@pytest.mark.parametrize(
    "point", ["before:merge.forward", "done:merge.forward", "before:merge.move"]
)
def test_killed_around_the_forwarding_it_is_one_merge(hub: RemoteHub, point: str) -> None:
    newest = hub.push({"theirs.txt": "1\n"})
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    hub.fate.write_text(point)
    with pytest.raises(OSError):  # noqa: PT011 - the connection breaks off in one way or another
        merge(hub, a, forward=True)
    hub.fate.unlink()
    hub.restart()
    merge(hub, a, forward=True)
    assert hub.git("rev-list", "--count", "--merges", "main", cwd=hub.repo) == "1\n"
    assert hub.at("main^1") == newest
    assert hub.git("status", "--porcelain", cwd=hub.repo) == ""
    assert len(of_type(hub.events(a["id"]), "session_merged")) == 1


def test_a_branch_that_is_only_there_is_made_as_the_refusal_says(hub: RemoteHub) -> None:
    hub.push({"trunk.txt": "1\n"}, branch="trunk")
    hub.git("fetch", "-q", cwd=hub.repo)
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})}, base="origin/trunk")
    with pytest.raises(Refused, match="no local branch trunk") as caught:
        merge(hub, a)
    run_hint(caught.value.hint, 0)
    assert merge(hub, a)["commit"] == hub.at("trunk")


def test_without_a_remote_nothing_speaks_of_one(hub: RemoteHub) -> None:
    hub.git("remote", "remove", "origin", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    assert a["base"] == "main"
    dry = merge(hub, a, dry_run=True, forward=True)
    assert (dry["forwarded"], dry["base"]["words"], dry["base"]["tracking"]) == ("", "", "")
    assert merge(hub, a)["base"]["relation"] == "local"
