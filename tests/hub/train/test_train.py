"""The merge train with real git, real checks and a real hub."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from tests.hub.train.cars import (
    at,
    board,
    cars,
    change,
    commit,
    nothing_is_left,
    session,
    state,
    subjects,
    train,
    until_ended,
    with_checks,
)
from tests.support.driver import Json, Refused, RunningHub, eventually, of_type

POINTS = (
    "before:train.build",
    "done:train.build",
    "before:train.try",
    "done:train.test",
    "before:train.land",
    "before:train.swap",
    "done:train.swap",
    "after:train.land",
)


def seen_trees(seen: Path) -> set[str]:
    return set(seen.read_text().split()) if seen.exists() else set()


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_cars_land_in_order_each_as_it_was_tested(
    hub: RunningHub, tmp_path: Path, method: str
) -> None:
    seen = tmp_path / "seen"
    with_checks(hub, f"git rev-parse HEAD^{{tree}} >> {seen}")
    before = at(hub, "main")
    made = [session(hub, name, {f"{name}.txt": name}) for name in ("one", "two", "three")]
    added = board(hub, *made, method=method)
    assert [(car["position"], car["into"]) for car in added] == [
        (1, "main"),
        (2, "main"),
        (3, "main"),
    ]
    landed = until_ended(hub, *made)
    assert [car["state"] for car in landed] == ["landed"] * 3
    moved = hub.git("rev-list", "--reverse", "--first-parent", f"{before}..main", cwd=hub.repo)
    assert [car["commit"] for car in landed] == moved.split()
    assert {at(hub, f"{commit}^{{tree}}") for commit in moved.split()} <= seen_trees(seen)
    assert hub.git("status", "--porcelain", cwd=hub.repo) == ""
    assert all((hub.repo / f"{name}.txt").exists() for name in ("one", "two", "three"))
    assert len(of_type(hub.events(made[0]["id"]), "session_merged")) == 1
    eventually(lambda: nothing_is_left(hub))


def test_whoever_fails_leaves_alone_and_nothing_of_it_lands(hub: RunningHub) -> None:
    with_checks(hub, "test ! -e bad.txt")
    good = session(hub, "Good", {"good.txt": "1"})
    bad = session(hub, "Bad", {"bad.txt": "1"})
    late = session(hub, "Late", {"late.txt": "1"})
    board(hub, good, bad, late)
    ended = until_ended(hub, good, bad, late)
    assert [car["state"] for car in ended] == ["landed", "failed", "landed"]
    assert "test ! -e bad.txt" in ended[1]["error"]
    assert not (hub.repo / "bad.txt").exists()
    assert (hub.repo / "late.txt").exists()
    item = hub.wait_attention(bad["id"])
    assert "left the train to main" in item["summary"]
    assert [o["id"] for o in item["options"]] == ["tell", "board", "seen"]
    change(hub, bad, {"bad.txt": "2"})
    hub.git("rm", "-q", "bad.txt", cwd=Path(bad["worktree"]))
    change(hub, bad, {"mended.txt": "1"})
    hub.answer(bad["id"], "board", item=item["id"])
    assert [car["state"] for car in until_ended(hub, bad)] == ["landed"]
    assert hub.show(bad["id"])["attention"] == []


def test_an_innocent_car_behind_a_bad_one_is_tested_again_without_it(
    hub: RunningHub, tmp_path: Path
) -> None:
    """Both fail together, but only one of them is to blame."""
    go = tmp_path / "go"
    with_checks(hub, f"until test -e {go}; do sleep 0.01; done; test ! -e bad.txt")
    bad = session(hub, "Bad", {"bad.txt": "1"})
    fine = session(hub, "Fine", {"fine.txt": "1"})
    board(hub, bad, fine)
    eventually(lambda: [state(hub, s) for s in (bad, fine)] == ["testing", "testing"])
    assert cars(hub)[fine["id"]]["ahead"] == ["Bad"]
    eventually(lambda: cars(hub)[bad["id"]]["progress"].startswith("until"))
    go.touch()
    ended = until_ended(hub, bad, fine)
    assert [car["state"] for car in ended] == ["failed", "landed"]


def test_a_conflict_names_both_sides_and_the_others_go_on(hub: RunningHub) -> None:
    with_checks(hub, "true")
    first = session(hub, "First", {"shared.txt": "one way"})
    second = session(hub, "Second", {"shared.txt": "another way"})
    third = session(hub, "Third", {"third.txt": "1"})
    board(hub, first, second, third)
    ended = until_ended(hub, first, second, third)
    assert [car["state"] for car in ended] == ["landed", "conflicted", "landed"]
    assert ended[1]["paths"] == ["shared.txt"]
    assert (hub.repo / "shared.txt").read_text() == "one way"


def paused(hub: RunningHub, *made: Json) -> None:
    board(hub, *made)
    hub.post("/api/train/pause", {"repo": str(hub.repo)})


def resumed(hub: RunningHub) -> None:
    hub.post("/api/train/resume", {"repo": str(hub.repo)})


def test_cars_are_moved_taken_off_and_changed_while_the_train_stands(
    hub: RunningHub, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    with_checks(hub, f"until test -e {go}; do sleep 0.01; done")
    before = at(hub, "main")
    a, b, c, d = (session(hub, name, {f"{name}.txt": name}) for name in "abcd")
    paused(hub, a, b, c, d)
    hub.post("/api/train/move", {"session": c["id"], "position": 1})
    hub.post("/api/train/remove", {"sessions": [b["id"]]})
    change(hub, a, {"more.txt": "1"})
    # What changed goes to the end as soon as that is seen, also while the train stands.
    eventually(lambda: [car["title"] for car in train(hub)["cars"]] == ["c", "d", "a"])
    resumed(hub)
    go.touch()
    ended = until_ended(hub, a, b, c, d)
    assert [car["state"] for car in ended] == ["landed", "removed", "landed", "landed"]
    landed = [word.split("'")[1] for word in subjects(hub, f"{before}..main")]
    assert landed == [c["branch"], d["branch"], a["branch"]], "what changed is the last"
    assert (hub.repo / "more.txt").exists()
    assert not (hub.repo / "b.txt").exists()


def test_a_base_that_moves_outside_voids_what_was_tested_and_loses_nothing(
    hub: RunningHub, tmp_path: Path
) -> None:
    seen, go = tmp_path / "seen", tmp_path / "go"
    with_checks(
        hub, f"git rev-parse HEAD^{{tree}} >> {seen}; until test -e {go}; do sleep 0.01; done"
    )
    a, b = (session(hub, name, {f"{name}.txt": name}) for name in "ab")
    board(hub, a, b)
    eventually(lambda: len(seen_trees(seen)) == 2)
    (hub.repo / "outside.txt").write_text("somebody's own commit\n")
    commit(hub, hub.repo, "Outside")
    go.touch()
    assert [car["state"] for car in until_ended(hub, a, b)] == ["landed", "landed"]
    assert {at(hub, f"main~{n}^{{tree}}") for n in (0, 1)} <= seen_trees(seen)
    assert sorted(p.name for p in hub.repo.glob("*.txt")) == ["a.txt", "b.txt", "outside.txt"]


def test_a_dirty_checkout_holds_the_train_which_says_so_and_goes_on_afterwards(
    hub: RunningHub,
) -> None:
    with_checks(hub, "true")
    a = session(hub, "Alpha", {"a.txt": "1"})
    (hub.repo / "README.md").write_text("unfinished\n")
    board(hub, a)
    held = eventually(lambda: cars(hub)[a["id"]]["error"])
    assert "README.md" in held
    assert "not moved under you" in held
    assert state(hub, a) == "tested"
    hub.git("checkout", "-q", "README.md", cwd=hub.repo)
    assert [car["error"] for car in until_ended(hub, a)] == [""]
    assert (hub.repo / "a.txt").exists()


def test_what_nothing_tests_is_refused_unless_a_person_says_so(hub: RunningHub) -> None:
    a = session(hub, "Alpha", {"a.txt": "1"})
    with pytest.raises(Refused, match="nothing would test") as caught:
        board(hub, a)
    assert "--untested" in caught.value.hint
    board(hub, a, untested=True)
    landed = until_ended(hub, a)[0]
    assert (landed["state"], landed["note"]) == (
        "landed",
        "landed untested: no checks are configured",
    )
    with pytest.raises(Refused, match=r"has everything of .* already"):
        board(hub, a, untested=True)


def test_a_flaky_check_is_run_once_more_where_configured_and_that_is_said(
    hub: RunningHub, tmp_path: Path
) -> None:
    once = tmp_path / "once"
    with_checks(hub, f"test -e {once} || {{ touch {once}; exit 1; }}")
    a = session(hub, "Alpha", {"a.txt": "1"})
    board(hub, a)
    assert until_ended(hub, a)[0]["state"] == "failed"
    assert len(hub.show(a["id"])["attention"]) == 1
    once.unlink()
    config = hub.home.config.read_text()
    hub.configure(config.replace("[train]\n", "[train]\nrerun = true\n"))
    try:
        board(hub, a)
        landed = until_ended(hub, a)[0]
    finally:
        hub.configure(config)
    assert landed["state"] == "landed"
    assert "flaky" in landed["note"]
    assert hub.show(a["id"])["attention"] == [], "put on again, it is settled"
    runs = of_type(hub.events(a["id"]), "car_tested")
    assert [(run["passed"], run["attempt"]) for run in runs][1:] == [(False, 1), (True, 2)]


def test_uncommitted_work_and_what_is_not_there_are_refused_in_words(hub: RunningHub) -> None:
    with_checks(hub, "true")
    a = session(hub, "Alpha", {"a.txt": "1"})
    (Path(a["worktree"]) / "more.txt").write_text("1")
    with pytest.raises(Refused, match=r"not committed: more\.txt"):
        board(hub, a)
    (Path(a["worktree"]) / "more.txt").unlink()
    with pytest.raises(Refused, match="no local branch nowhere"):
        board(hub, a, into="nowhere")
    with pytest.raises(Refused, match="is not on a train"):
        hub.post("/api/train/remove", {"sessions": [a["id"]]})
    with pytest.raises(Refused, match="no train in"):
        hub.post("/api/train/pause", {"repo": str(hub.repo)})


@pytest.mark.parametrize("point", POINTS)
def test_killed_anywhere_the_next_hub_carries_it_on(
    hub: RunningHub, tmp_path: Path, point: str
) -> None:
    seen = tmp_path / "seen"
    with_checks(hub, f"git rev-parse HEAD^{{tree}} >> {seen}; test ! -e bad.txt")
    before = at(hub, "main")
    a = session(hub, "a", {"a.txt": "1"})
    bad = session(hub, "Bad", {"bad.txt": "1"})
    c = session(hub, "c", {"c.txt": "1"})
    hub.fate.write_text(point)
    with suppress(OSError):  # it may die before it can answer
        board(hub, a, bad, c)
    eventually(lambda: not hub.runs)
    hub.fate.unlink()
    hub.restart()
    ended = until_ended(hub, a, bad, c)
    assert [car["state"] for car in ended] == ["landed", "failed", "landed"]
    assert len(subjects(hub, f"{before}..main")) == 2
    assert {at(hub, f"main~{n}^{{tree}}") for n in (0, 1)} <= seen_trees(seen)
    for landed in (a, c):
        assert len(of_type(hub.events(landed["id"]), "car_landed")) == 1
        assert len(of_type(hub.events(landed["id"]), "session_merged")) == 1
    eventually(lambda: nothing_is_left(hub))
