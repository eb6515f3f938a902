"""Cars that come by themselves: mended by their agents, or approved by a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.train.cars import at, board, cars, commit, session, train, until_ended, with_checks
from tests.support.driver import Json, RunningHub, eventually, of_type


def told(made: Json) -> str:
    """What the agent was told last."""
    return Path(f"{made['worktree']}.told").read_text()


def test_a_failed_car_goes_back_to_its_agent_with_the_log_and_rejoins(hub: RunningHub) -> None:
    with_checks(hub, "test ! -e bad.txt || { echo the-reason-why; exit 1; }")
    bad = session(hub, "Bad", {"bad.txt": "1", "good.txt": "1"}, agent="mender")
    fine = session(hub, "Fine", {"fine.txt": "1"})
    board(hub, bad, fine, mend=1)
    ended = until_ended(hub, bad, fine)
    assert [car["state"] for car in ended] == ["landed", "landed"]
    assert (ended[0]["round"], ended[0]["rounds"]) == (1, 1)
    assert "> the-reason-why" in told(bad)
    assert (hub.repo / "good.txt").exists()
    assert not (hub.repo / "bad.txt").exists()
    left = of_type(hub.events(bad["id"]), "car_left")
    assert [(event["why"], event["mending"]) for event in left] == [("failed", True)]


def test_a_conflict_is_settled_by_the_agent_which_is_told_both_sides(hub: RunningHub) -> None:
    with_checks(hub, "true")
    first = session(hub, "First", {"shared.txt": "one way\n"})
    second = session(hub, "Second", {"shared.txt": "another way\n"}, agent="mender")
    board(hub, first, second, mend=2)
    ended = until_ended(hub, first, second)
    assert [car["state"] for car in ended] == ["landed", "landed"]
    assert (hub.repo / "shared.txt").read_text().split("\n") == ["another way", "one way", ""]
    assert "shared.txt" in told(second)
    assert "First" in told(second)


def test_an_agent_that_mends_nothing_hands_the_car_to_its_person(hub: RunningHub) -> None:
    with_checks(hub, "test ! -e bad.txt")
    bad = session(hub, "Bad", {"bad.txt": "1"}, agent="told")
    board(hub, bad, mend=3)
    left = until_ended(hub, bad)[0]
    assert (left["state"], left["mending"]) == ("failed", False)
    assert "changed nothing" in left["error"]
    item = hub.wait_attention(bad["id"])
    assert [option["id"] for option in item["options"]] == ["tell", "board", "seen"]


def test_the_rounds_are_counted_and_end(hub: RunningHub) -> None:
    with_checks(hub, "false")
    bad = session(hub, "Bad", {"bad.txt": "1", "good.txt": "1"}, agent="mender")
    board(hub, bad, mend=1)
    left = until_ended(hub, bad)[0]
    assert (left["state"], left["round"], left["rounds"]) == ("failed", 1, 1)
    assert len(of_type(hub.events(bad["id"]), "car_added")) == 2


@pytest.fixture
def joining(hub: RunningHub) -> Iterator[RunningHub]:
    config = hub.home.config.read_text()
    hub.configure(config.replace("[train]\n", '[train]\njoin = "approved"\n'))
    yield hub
    hub.configure(config)


def approve(hub: RunningHub, made: Json) -> None:
    hub.act(made["id"], "review/verdict", verdict="approved")


def test_what_a_person_approves_joins_by_itself_uncommitted_work_too(joining: RunningHub) -> None:
    hub = joining
    with_checks(hub, "true")
    a = session(hub, "Alpha", {"a.txt": "1"})
    (Path(a["worktree"]) / "more.txt").write_text("not committed yet\n")
    approve(hub, a)
    eventually(lambda: any(lane["repo"] == str(hub.repo) for lane in hub.get("/api/train")))
    assert until_ended(hub, a)[0]["state"] == "landed"
    assert (hub.repo / "more.txt").read_text() == "not committed yet\n"


def test_an_approval_that_lapses_takes_the_car_off(joining: RunningHub, tmp_path: Path) -> None:
    hub, go = joining, tmp_path / "go"
    with_checks(hub, f"until test -e {go}; do sleep 0.01; done")
    a = session(hub, "Alpha", {"a.txt": "1"})
    before = at(hub, "main")
    approve(hub, a)
    eventually(lambda: any(lane["repo"] == str(hub.repo) for lane in hub.get("/api/train")))
    eventually(lambda: cars(hub)[a["id"]]["state"] == "testing")
    hub.act(a["id"], "review/verdict", verdict="none")
    left = until_ended(hub, a)[0]
    assert (left["state"], left["error"]) == ("removed", "the approval lapsed")
    go.touch()
    assert at(hub, "main") == before


def test_whoever_cannot_join_says_why_once(joining: RunningHub) -> None:
    hub = joining
    a = session(hub, "Alpha", {"a.txt": "1"})
    approve(hub, a)
    item = hub.wait_attention(a["id"])
    assert "cannot join the train" in item["summary"]
    assert "[checks]" in item["summary"]


def test_those_that_wait_go_cheapest_first(joining: RunningHub, tmp_path: Path) -> None:
    """One that conflicts with two others lands after both of them have not to wait for it."""
    hub, go = joining, tmp_path / "go"
    config = hub.home.config.read_text()
    hub.configure(config.replace("enabled = false", "enabled = true"))
    try:
        with_checks(hub, f"until test -e {go}; do sleep 0.01; done")
        (hub.repo / "x.txt").write_text("base\n")
        (hub.repo / "y.txt").write_text("base\n")
        commit(hub, hub.repo, "Lines")
        first = session(hub, "First", {"first.txt": "1"})
        wide = session(hub, "Wide", {"x.txt": "wide\n", "y.txt": "wide\n"})
        x, y = session(hub, "X", {"x.txt": "x\n"}), session(hub, "Y", {"y.txt": "y\n"})
        eventually(lambda: len(hub.get("/api/conflicts", fresh=True)) >= 2)
        approve(hub, first)
        eventually(lambda: any(lane["repo"] == str(hub.repo) for lane in hub.get("/api/train")))
        hub.post("/api/train/pause", {"repo": str(hub.repo)})
        for made in (wide, x, y):
            approve(hub, made)
        wanted = {"First", "X", "Y", "Wide"}
        eventually(lambda: {car["title"] for car in train(hub)["cars"]} == wanted)
        eventually(lambda: [car["title"] for car in train(hub)["cars"]][-1] == "Wide")
    finally:
        go.touch()
        hub.configure(config)
