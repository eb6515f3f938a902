"""Spare worktrees: handed over where they are, to one session each, and never carrying anything."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.support.driver import eventually, of_type
from tests.support.pool_hub import MakeHub, PoolHub


def all_events(hub: PoolHub) -> list[Any]:
    with hub.reader(after=0) as reader:
        reader.until_seq(hub.get("/api/status")["last_seq"])
        return reader.events


def test_a_spare_becomes_the_session_where_it_is(pool_hub: PoolHub) -> None:
    hub = pool_hub
    spare = hub.ready_spares()[0]
    config = (hub.repo / ".git/config").read_bytes()
    session = hub.plain("Taken")
    assert session["worktree"] == spare["worktree"]
    assert (hub.branch(session), hub.head(session)) == ("mh/taken", session["base_commit"])
    assert hub.status(session) == ""
    listed = hub.git("worktree", "list", "--porcelain", cwd=hub.repo)
    assert f"locked manyhands session {session['id']}" in listed
    assert (hub.repo / ".git/config").read_bytes() == config
    assert hub.await_spare()["worktree"] != spare["worktree"]


def test_many_sessions_at_once_never_share_a_spare(make_hub: MakeHub) -> None:
    hub = make_hub("pool = 3")
    hub.plain("Opens the pool")
    hub.await_spare(3)
    with ThreadPoolExecutor(12) as threads:
        made = list(threads.map(hub.plain, ["Same title"] * 12))
    assert len({s["worktree"] for s in made}) == 12
    assert len({s["branch"] for s in made}) == 12
    assert all(s["status"] == "idle" for s in made), made
    assert {hub.branch(s) for s in made} == {s["branch"] for s in made}
    leases = of_type(all_events(hub), "spare_leased")
    assert len({lease["spare"] for lease in leases}) == len(leases) >= 3
    tokens = [lease["token"] for lease in leases]
    assert tokens == sorted(set(tokens))


def test_a_spare_whose_base_moved_is_handed_over_at_the_new_one(pool_hub: PoolHub) -> None:
    hub = pool_hub
    spare = hub.ready_spares()[0]
    newest = hub.commit({"new.txt": "new\n", "README.md": "# Changed\n"})
    session = hub.plain("After the commit")
    assert session["worktree"] == spare["worktree"]
    assert (hub.head(session), session["base_commit"]) == (newest, newest)
    assert (Path(session["worktree"]) / "new.txt").read_text() == "new\n"
    assert hub.status(session) == ""


def test_a_spare_is_refreshed_when_the_base_has_moved(pool_hub: PoolHub) -> None:
    hub = pool_hub
    before = hub.ready_spares()[0]
    newest = hub.commit({"new.txt": "new\n"})
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    eventually(lambda: [s["commit"] for s in hub.ready_spares()] == [newest])
    after = hub.ready_spares()[0]
    assert (after["id"], after["worktree"]) == (before["id"], before["worktree"])
    assert after["token"] > before["token"]
    assert (Path(after["worktree"]) / "new.txt").exists()


@pytest.mark.parametrize("what", ["edited", "deleted", "on a branch"])
def test_a_spare_that_somebody_changed_is_not_given_away(pool_hub: PoolHub, what: str) -> None:
    hub = pool_hub
    place = Path(hub.ready_spares()[0]["worktree"])
    hub.commit({"README.md": "# Newer\n"})
    if what == "edited":
        (place / "README.md").write_text("somebody's work\n")
    elif what == "deleted":
        (place / ".git").unlink()
    else:
        hub.git("switch", "-q", "-c", "mine", cwd=place)
    session = hub.plain("Made apart")
    assert session["status"] == "idle", session
    assert session["worktree"] != str(place)
    assert (hub.branch(session), hub.status(session)) == ("mh/made-apart", "")
    if what == "edited":
        assert (place / "README.md").read_text() == "somebody's work\n"


def test_a_smaller_pool_gives_its_spares_back(make_hub: MakeHub) -> None:
    hub = make_hub("pool = 2")
    hub.plain("Opens the pool")
    hub.await_spare(2)
    places = [Path(s["worktree"]) for s in hub.ready_spares()]
    hub.set_workspaces("pool = 0")
    assert hub.plain("Cold")["worktree"] not in map(str, places)
    eventually(lambda: not hub.spares())
    assert not any(place.exists() for place in places)
    assert hub.git("worktree", "list", cwd=hub.repo).count("\n") == 3
    hub.git("fsck", cwd=hub.repo)


def test_a_spare_with_someones_file_is_left_and_said_so(pool_hub: PoolHub) -> None:
    hub = pool_hub
    place = Path(hub.ready_spares()[0]["worktree"])
    (place / "mine.txt").write_text("mine\n")
    hub.set_workspaces("pool = 0")
    hub.plain("Cold")
    eventually(lambda: not hub.spares())
    assert (place / "mine.txt").read_text() == "mine\n"
    dropped = of_type(all_events(hub), "spare_dropped")[-1]
    assert "mine.txt" in dropped["reason"]


def test_a_spare_is_there_from_trust_on_and_the_first_session_takes_it(make_hub: MakeHub) -> None:
    hub = make_hub("pool = 1")
    spare = hub.await_spare()
    session = hub.plain("The first")
    assert session["worktree"] == spare["worktree"]
    assert (hub.branch(session), hub.status(session)) == ("mh/the-first", "")


def test_no_pool_is_kept_for_what_is_not_used_any_more(make_hub: MakeHub, tmp_path: Path) -> None:
    hub = make_hub("pool = 1")
    other = hub.make_repo(tmp_path / "other")
    hub.await_spare(repo=other)
    session = hub.new("", name="There", repo=str(other), start=False)
    hub.await_spare(repo=other)
    again = hub.new("", name="There again", repo=str(other), start=False, detach=True)
    for one in (again, session):
        hub.wait(one["id"])
        hub.act(one["id"], "archive")
    kept = hub.spares(other)
    newest = hub.commit({"new.txt": "new\n"}, cwd=other)
    hub.post("/api/repos/trust", {"path": str(other)})
    hub.await_spare()
    assert [s["id"] for s in hub.spares(other)] == [s["id"] for s in kept]
    assert newest not in {s["commit"] for s in hub.spares(other)}


def test_what_spares_use_on_disk_is_bounded(make_hub: MakeHub, tmp_path: Path) -> None:
    hub = make_hub("pool = 1\npool_gb = 0.001")
    # Which of both has a spare is decided by who works where.
    hub.commit({"large.bin": "x" * 700_000})
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    other = hub.make_repo(tmp_path / "other")
    hub.commit({"large.bin": "y" * 700_000}, cwd=other)
    hub.post("/api/repos/trust", {"path": str(other)})
    session = hub.plain("Here")
    hub.wait(session["id"])
    eventually(lambda: (len(hub.ready_spares()), len(hub.spares(other))) == (1, 0))
    assert len(list((hub.home.worktrees / "other").iterdir())) == 0


def test_a_spare_being_filled_when_the_hub_died_is_taken_back(
    make_hub: MakeHub, tmp_path: Path
) -> None:
    hub = make_hub("pool = 0")
    first, begun, go = (tmp_path / name for name in ("first", "begun", "go"))
    # The session's file is checked out at once, the spare's once it is let go.
    held = f"touch '{begun}'; while [ ! -e '{go}' ]; do sleep 0.05; done"
    smudge = f"mkdir '{first}' 2>/dev/null || {{ {held}; }}; cat"
    hub.git("config", "--global", "filter.held.smudge", smudge, cwd=hub.repo)
    hub.commit({"held.txt": "1\n", ".gitattributes": "held.txt filter=held\n"})
    hub.plain("Comes before the pool")
    hub.set_workspaces("pool = 1")
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    eventually(begun.exists)
    half_made = hub.spares()[0]
    assert not half_made["ready"]
    hub.kill()
    go.touch()
    hub.start()
    spare = hub.await_spare()
    if spare["id"] == half_made["id"]:
        pytest.fail("a spare that was cut off is not to be trusted")
    eventually(lambda: not Path(half_made["worktree"]).exists())
    session = hub.plain("After the death")
    assert session["worktree"] == spare["worktree"]
    assert hub.status(session) == ""


@pytest.mark.parametrize(
    "point", ["before:create.worktree", "done:create.worktree", "after:create.worktree"]
)
def test_a_hub_that_dies_at_the_hand_over_finishes_it(pool_hub: PoolHub, point: str) -> None:
    hub = pool_hub
    spare = hub.ready_spares()[0]
    hub.fate.write_text(point)
    with pytest.raises((OSError, HTTPException)):
        hub.plain("Interrupted")
    hub.fate.unlink()
    hub.kill()
    hub.start()
    eventually(lambda: hub.show("interrupted")["status"] == "idle")
    session = hub.show("interrupted")
    assert session["worktree"] == spare["worktree"]
    assert (hub.branch(session), hub.status(session)) == ("mh/interrupted", "")


def test_the_disk_use_of_spares_is_told(pool_hub: PoolHub) -> None:
    spare = pool_hub.ready_spares()[0]
    assert spare["bytes"] >= 4096
