"""A laptop that sleeps, a clock that is set: time that did not go by is nobody's work, and nothing
falls due that the wall clock does not truly say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from manyhands.config import Home
from manyhands.hub.archive import expiry
from manyhands.hub.core.hub import Hub
from manyhands.hub.fleet.budgets import used
from manyhands.hub.house import open_hub
from manyhands.model import clock
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from tests.hub.facts import created
from tests.support.driver import Json, RunningHub, bash, eventually, hold, of_type, script, write
from tests.support.mortal import shift

HOUR = 3600.0
S = SessionId("one")


def set_clock(hub: RunningHub, hours: float) -> None:
    """At one go: the hub looks at any moment."""
    fresh = hub.root / "fresh-shift"
    fresh.write_text(str(hours * HOUR))
    fresh.replace(shift(hub.home.root))


def begin(hub: RunningHub, **more: Any) -> Json:
    """A session whose agent is in the midst of a turn."""
    steps = (hold("go"), bash("echo on"), write("on"), hold("go2"), write("done"), {"text": "."})
    session = hub.new(script(*steps), **more)
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until_type("tool_called", session["id"])
    return session


@pytest.mark.parametrize("hours", [9.0, -9.0])
def test_a_night_that_the_machine_slept_is_not_on_the_budget(
    shared: RunningHub, hours: float
) -> None:
    hub = shared
    session, resting = begin(hub, budget_minutes=60.0), hub.new(script({"text": "at rest"}))
    hub.wait_idle(resting["id"])
    place = Path(session["worktree"])
    set_clock(hub, hours)
    hub.act(session["id"], "rename", title="Good morning")  # the first that is heard of it
    (place / "go").touch()
    eventually((place / "on").exists)
    set_clock(hub, 0.0)  # as it was at the agent's side, whose keeper times the turn's end
    hub.act(session["id"], "rename", title="Good evening")
    (place / "go2").touch()
    hub.wait_idle(session["id"])
    hub.say(session["id"], script(bash("echo the day after"), {"text": "."}))
    [rested] = hub.wait_idle(session["id"])
    assert ((place / "done").exists(), rested["attention"]) == (True, [])
    events = hub.events(session["id"])
    assert not of_type(events, "attention_raised") + of_type(events, "agent_held")
    assert [e.get("outcome", "done") for e in of_type(events, "turn_finished")] == ["done"] * 2
    jumps = [e["seconds"] for e in of_type(events, "clock_jumped")]
    assert jumps == pytest.approx([hours * HOUR, -hours * HOUR], abs=60)
    assert "clock_jumped" not in hub.types(resting["id"])
    assert [e["seq"] for e in events] == sorted(e["seq"] for e in events)


def test_a_clock_that_is_set_ends_nothing_and_raises_nothing(
    shared: RunningHub,
) -> None:
    hub = shared
    session = begin(hub)
    before = {s["id"]: s["status"] for s in hub.get("/api/sessions")}
    seqs = hub.get("/api/status")["last_seq"]
    for hours in (30.0, -30.0, 0.0):
        set_clock(hub, hours)
        hub.act(session["id"], "rename", title=f"At {hours}")
        assert {s["id"]: s["status"] for s in hub.get("/api/sessions")} == before
    with hub.reader(after=seqs) as reader:
        reader.until(lambda f: f.get("type") == "session_renamed" and f["title"] == "At 0.0")
    heard = {event["type"] for event in reader.events} - {"permission_decided"}
    assert heard == {"session_renamed", "clock_jumped"}
    for name in ("go", "go2"):
        (Path(session["worktree"]) / name).touch()
    hub.wait_idle(session["id"])


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    wall = Wall()
    monkeypatch.setattr(clock, "datetime", wall.kind)
    return wall


class Wall:
    """The wall clock of this process."""

    def __init__(self) -> None:
        from datetime import datetime, timedelta, tzinfo

        wall, self.by = self, 0.0

        class Set(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Set:
                moment = datetime.now(tz) + timedelta(seconds=wall.by)
                return cls.fromtimestamp(moment.timestamp(), tz)

        self.kind = Set


async def working(hub: Hub) -> None:
    await hub.record(created(S), e.SessionReady(session=S), e.TurnStarted(session=S, turn=1))


@pytest.mark.parametrize("jump", [8 * HOUR, -8 * HOUR])
async def test_work_is_timed_by_how_long_it_took(tmp_path: Path, wall: Wall, jump: float) -> None:
    async with open_hub(Home(tmp_path / "home")) as hub:
        await working(hub)
        began = clock.monotonic()
        wall.by = jump
        await hub.record(e.TurnFinished(session=S, turn=1))
        took = clock.monotonic() - began
        worked = used(hub.state.sessions[S], clock.now()).seconds
        assert 0 <= worked <= took + 1


async def test_a_jump_that_could_not_be_recorded_is_recorded_later(
    tmp_path: Path, wall: Wall
) -> None:
    async with open_hub(Home(tmp_path / "home")) as hub:
        await working(hub)
        aside = hub.home.store.with_name("aside")
        wall.by = 8 * HOUR
        hub.home.store.rename(aside)
        with pytest.raises(Exception, match="moved or removed"):
            await hub.record(e.RepoAdded(path="/a"))
        aside.rename(hub.home.store)
        # Nothing else is written here that would tell that the store is back.
        await hub.record(e.TurnFinished(session=S, turn=1))
        assert used(hub.state.sessions[S], clock.now()).seconds < HOUR


async def test_no_sweep_follows_a_clock_that_was_set(
    monkeypatch: pytest.MonkeyPatch, wall: Wall
) -> None:
    for jump in (0.0, 400 * 24 * HOUR, -400 * 24 * HOUR):
        wall.by = 0.0

        async def asleep(seconds: float, jump: float = jump) -> None:
            wall.by = seconds + jump
            monkeypatch.setattr(expiry, "monotonic", lambda: clock.monotonic() + seconds)

        monkeypatch.setattr(expiry, "monotonic", clock.monotonic)
        monkeypatch.setattr("asyncio.sleep", asleep)
        assert await expiry._steadily(HOUR) is (jump == 0.0)
