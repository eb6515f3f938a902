"""Bringing the base in with a remote: as it is at this moment, else as it is known here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.driver import Json, of_type
from tests.support.remote_hub import RemoteHub, hub, lasting_hub, lines, sshd

__all__ = ["hub", "lasting_hub", "sshd"]


def update(hub: RemoteHub, made: Json, **how: object) -> Json:
    return hub.act(made["id"], "update", **how)


@pytest.mark.parametrize("way", ["path", "ssh"])
@pytest.mark.parametrize("base", ["main", "origin/main"])
def test_the_remote_is_asked_first_and_its_conflicts_are_found(
    hub: RemoteHub, request: pytest.FixtureRequest, base: str, way: str
) -> None:
    if way == "ssh":
        hub.begin(request.getfixturevalue("sshd"))
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})}, base=base)
    b = hub.work("Beta", {"two.txt": lines(30, {3: "Beta"})}, base=base)
    assert update(hub, a)["already"]
    newest = hub.push({"one.txt": lines(30, {3: "theirs"})})
    done = update(hub, a)
    assert (done["commit"], done["conflicts"], done["already"]) == (newest, ["one.txt"], False)
    assert (done["base"], done["standing"]["relation"]) == ("origin/main", "behind")
    done = update(hub, b)
    assert (done["commit"], done["conflicts"]) == (newest, [])
    assert update(hub, b)["already"]
    assert hub.show(b["id"])["base_commit"] == newest
    assert hub.at("main") != newest, "the user's own branch stays where it is"


def test_what_landed_here_comes_in_though_the_remote_has_it_not_yet(hub: RemoteHub) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    b = hub.work("Beta", {"one.txt": lines(30, {3: "Beta"})})
    done = hub.act(a["id"], "merge")
    came = update(hub, b)
    assert (came["commit"], came["base"], came["conflicts"]) == (
        done["commit"],
        "main",
        ["one.txt"],
    )
    assert "ahead of origin/main" in came["standing"]["words"]


def test_a_remote_that_is_away_is_said_and_what_is_known_comes_in(hub: RemoteHub) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    known = hub.push({"theirs.txt": "1\n"})
    hub.git("fetch", "-q", cwd=hub.repo)
    hub.push({"theirs.txt": "2\n"})
    hub.bare.rename(hub.bare.with_name("gone.git"))
    done = update(hub, a)
    assert done["commit"] == known
    assert "origin could not be asked" in done["standing"]["words"]
    hub.bare.with_name("gone.git").rename(hub.bare)
    done = update(hub, a)
    assert not done["already"]
    assert (done["standing"]["error"], done["commit"]) == ("", hub.at("origin/main"))


def test_a_remote_that_never_answers_costs_a_bounded_time(hub: RemoteHub) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    hub.remote_end("exec sleep 1000")
    hub.settle(wait=1)
    done = update(hub, a)
    assert done["already"]
    assert "no end after" in done["standing"]["words"]
    assert hub.asked() == 1


def test_a_remote_that_refuses_is_said_in_its_own_words(hub: RemoteHub) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    hub.remote_end('echo "the door is closed" >&2; exit 1')
    assert "the door is closed" in update(hub, a)["standing"]["words"]


def test_many_who_ask_at_once_share_a_fetch_that_is_not_older_than_they(hub: RemoteHub) -> None:
    made = [hub.work(f"Number {n}", {f"{n}.txt": "x\n"}) for n in range(6)]
    newest = hub.push({"theirs.txt": "1\n"})
    hub.remote_end('sleep 0.3; exec git upload-pack "$@"')
    with ThreadPoolExecutor(6) as threads:
        done = list(threads.map(lambda s: update(hub, s), made))
    assert {d["commit"] for d in done} == {newest}
    assert hub.asked() < len(made)


def test_a_history_that_was_rewritten_there_is_told_apart_from_one_that_went_on(
    hub: RemoteHub,
) -> None:
    hub.push({"theirs.txt": "1\n"})
    hub.git("pull", "-q", cwd=hub.repo)
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    hub.git("reset", "-q", "--hard", "HEAD~1", cwd=hub.other)
    rewritten = hub.commit(hub.other, {"instead.txt": "1\n"})
    hub.git("push", "-qf", "origin", "HEAD:main", cwd=hub.other)
    done = update(hub, a)
    assert (done["commit"], done["base"]) == (rewritten, "origin/main")
    assert "have diverged: 1 commit only here, 1 only there" in done["standing"]["words"]
    assert (Path(a["worktree"]) / "instead.txt").exists()


def test_a_branch_that_is_gone_there_is_said_and_stays_known(hub: RemoteHub) -> None:
    side = hub.push({"side.txt": "1\n"}, branch="side")
    hub.git("fetch", "-q", cwd=hub.repo)
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})}, base="origin/side")
    hub.git("push", "-q", "--delete", "origin", "side", cwd=hub.other)
    done = update(hub, a)
    assert (done["already"], done["commit"]) == (True, side)
    assert done["standing"]["error"] == "origin has no branch side any more"
    assert not of_type(hub.events(a["id"]), "update_started")
