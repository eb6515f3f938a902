"""A store that is damaged under a running hub: nothing claims success, agents wait, and one command
brings everything back that can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.hub.fleet.test_turns import release
from tests.support.console import Console
from tests.support.driver import (
    ACTOR,
    Json,
    Refused,
    RunningHub,
    eventually,
    hold,
    of_type,
    script,
    write,
)

PAGE, WAL_HEADER, FRAME_HEADER = 4096, 32, 24


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    with RunningHub(tmp_path / "hub", agent=ACTOR) as running:
        running.make_repo()
        yield running


@pytest.fixture
def console(hub: RunningHub) -> Console:
    console = Console(hub.home.root, hub.root)
    console.variables = hub.environment
    return console


def damage(path: Path) -> None:
    """The newest pages, which SQLite has not moved from its log into the file yet."""
    wal = path.with_name("store.db-wal")
    starts = range(WAL_HEADER + FRAME_HEADER, wal.stat().st_size, FRAME_HEADER + PAGE)
    with wal.open("rb+") as opened:
        for at in starts[-20:]:
            opened.seek(at)
            opened.write(b"\xa5" * 16)


def store_findings(found: list[Json]) -> list[Json]:
    return [one for one in found if one["check"] == "store"]


def test_damage_under_a_running_hub_is_refused_shown_and_mended_by_one_command(
    hub: RunningHub, console: Console
) -> None:
    session = hub.new(script(write("a.txt"), hold("go"), write("b.txt"), {"text": "done"}))
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until(lambda f: "go" in str(f.get("input", "")) and f.get("type") == "tool_called")
    agent = psutil.Process(hub.show(session["id"])["agent_pid"])
    before = {e["seq"]: e for e in hub.events(session["id"])}
    damage(hub.home.store)
    found = console.run("doctor", "--json")
    assert found.code == 1
    [store] = store_findings(found.data)
    assert (store["ok"], "doctor --fix" in store["fix"]) == (False, True)
    said = console.run("say", session["id"], "are you there?", "--json")
    assert (said.code, said.error["code"]) == (1, "store_failed")
    assert "damaged" in said.error["message"]
    assert "manyhands doctor --fix" in said.error["hint"]
    assert "damaged" in console.json("status")["problem"]
    shown = hub.show(session["id"])
    assert (shown["status"], "damaged" in shown["reason"]) == ("unreachable", True)
    with pytest.raises(Refused, match="damaged"):
        hub.post("/api/wait", {"sessions": [session["id"]], "for": "idle", "timeout": 600})
    release(session)
    assert agent.is_running()

    mended = console.run("doctor", "--fix", "--json")
    first, again = store_findings(mended.data)
    assert first["ok"], first
    assert "events were kept" in first["detail"]
    assert again["ok"]
    hub.find_again()
    kept = {e["seq"]: e for e in hub.events(session["id"])}
    assert all(before[seq] == event for seq, event in kept.items() if seq in before)
    eventually(lambda: hub.show(session["id"])["status"] in ("idle", "waiting", "failed"))
    assert list(hub.home.root.glob("store.db.damaged-*"))
    eventually(lambda: not console.json("status")["problem"])


def test_a_home_that_is_taken_away_holds_agents_and_all_goes_on_once_it_is_back(
    hub: RunningHub, console: Console
) -> None:
    session = hub.new(script(hold("go"), write("b.txt"), {"text": "done"}))
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until_type("tool_called", session["id"])
    agent = psutil.Process(hub.show(session["id"])["agent_pid"])
    store, elsewhere = hub.home.store, hub.home.root / "elsewhere"
    store.rename(elsewhere)
    with pytest.raises(Refused, match="moved or removed"):
        hub.say(session["id"], "are you there?")
    assert console.json("status")["sessions"] == {"unreachable": 1}
    assert hub.show(session["id"])["status"] == "unreachable"
    release(session)
    elsewhere.rename(store)
    eventually(lambda: not hub.get("/api/status")["problem"])
    [rested] = hub.wait_idle(session["id"])
    assert rested["turn"] == 1
    assert agent.is_running()
    assert (Path(session["worktree"]) / "b.txt").exists()
    assert not [f for f in hub.get("/api/doctor") if not f["ok"]]

    store.unlink()
    with pytest.raises(Refused, match="moved or removed"):
        hub.say(session["id"], "are you there?")
    first, again = store_findings(console.run("doctor", "--fix", "--json").data)
    assert (first["ok"], again["ok"]) == (True, True)
    hub.find_again()
    assert len(of_type(hub.events(session["id"]), "turn_finished")) == 1
    hub.say(session["id"], script({"text": "again"}))
    hub.wait_idle(session["id"])


def test_a_hub_does_not_start_on_a_damaged_store_and_says_what_to_do(
    hub: RunningHub, console: Console
) -> None:
    session = hub.new("x", name="Kept", start=False)
    hub.terminate()
    size = hub.home.store.stat().st_size
    content = bytearray(hub.home.store.read_bytes())
    content[:100] = bytes(byte ^ 0x5A for byte in content[:100])
    hub.home.store.write_bytes(content)
    for _ in range(2):
        refused = console.run("up", "--no-open", "--json")
        assert (refused.code, refused.error["code"]) == (1, "store_failed")
        assert "manyhands doctor --fix" in refused.error["hint"]
    assert hub.home.store.stat().st_size == size
    found = console.run("doctor", "--json")
    [store] = store_findings(found.data)
    assert (found.code, store["ok"], "doctor --fix" in store["fix"]) == (1, False, True)
    [mended] = store_findings(console.run("doctor", "--fix", "--json").data)
    assert mended["ok"], mended
    assert "none is lost" in mended["detail"]
    hub.start()
    assert hub.show(session["id"])["slug"] == "kept"
    assert not [f for f in hub.get("/api/doctor") if not f["ok"]]


def test_a_disk_that_takes_no_more_holds_agents_and_all_goes_on_once_it_does(
    hub: RunningHub, console: Console
) -> None:
    session = hub.new(script(hold("go"), write("b.txt"), {"text": "done"}))
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until_type("tool_called", session["id"])
    process = psutil.Process(hub.pid)
    soft, hard = process.rlimit(psutil.RLIMIT_FSIZE)
    process.rlimit(psutil.RLIMIT_FSIZE, (PAGE, hard))  # no file of its may grow beyond this
    said = console.run("say", session["id"], "are you there?", "--follow-up", "--json")
    assert (said.code, said.error["code"]) == (1, "store_failed")
    assert console.json("status")["sessions"] == {"unreachable": 1}
    release(session)
    process.rlimit(psutil.RLIMIT_FSIZE, (soft, hard))
    eventually(lambda: not hub.get("/api/status")["problem"])
    [rested] = hub.wait_idle(session["id"])
    assert (rested["turn"], rested["follow_ups"]) == (1, [])
    assert (Path(session["worktree"]) / "b.txt").exists()
    assert not [f for f in hub.get("/api/doctor") if not f["ok"]]
