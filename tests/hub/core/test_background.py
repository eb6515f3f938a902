"""What goes wrong where nobody waits: it ends in a status or a finding, and there is a way on."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from manyhands.config import Home
from manyhands.hub.core.hub import Hub, Reactor
from manyhands.hub.core.rounds import Rounds
from manyhands.hub.house import open_hub
from manyhands.hub.insight.doctor import doctor
from manyhands.model import events as e
from manyhands.store import Batch
from tests.support.driver import ACTOR, Json, RunningHub, eventually, script


@pytest.fixture(scope="module")
def lasting_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    """Its keepers end soon."""
    hub = RunningHub(tmp_path_factory.mktemp("background"), working=8, linger=1.0, agent=ACTOR)
    try:
        yield hub
    finally:
        hub.close()


def odd(hub: RunningHub, check: str) -> list[Json]:
    found = hub.get("/api/doctor")
    return [one for one in found if one["check"] == check and not one["ok"]]


def is_put_away(hub: RunningHub, session: str) -> None:
    """Whatever happened to it, it can be archived and removed."""
    hub.act(session, "archive")
    hub.act(session, "rm", yes=True)
    assert session not in [s["id"] for s in hub.get("/api/sessions", archived=True)]


def test_a_session_whose_directory_is_a_file_fails_and_can_be_put_away(hub: RunningHub) -> None:
    session = hub.new("x", start=False)
    place = hub.home.sessions / session["id"]
    shutil.rmtree(place, ignore_errors=True)
    place.write_text("not a directory\n")
    try:
        hub.say(session["id"], script({"text": "."}))
        eventually(lambda: hub.show(session["id"])["status"] == "failed")
        shown = hub.show(session["id"])
        assert shown["error"]
        assert f"manyhands resume {session['slug']}" in shown["hint"]
        assert any(session["slug"] in one["detail"] for one in odd(hub, "session"))
    finally:
        place.unlink()
    hub.act(session["id"], "resume")
    hub.wait_idle(session["id"])
    is_put_away(hub, session["id"])


def test_last_words_that_cannot_be_read_leave_nobody_at_work(hub: RunningHub) -> None:
    session = hub.new(script({"text": "done"}))
    hub.wait_idle(session["id"])
    eventually(lambda: not hub.has_keeper(session["id"]))
    hub.terminate()
    place = hub.home.sessions / session["id"]
    # As if the hub and its keeper had died together, and the disk had taken its toll.
    epoch = claim_a_keeper(hub, session["id"])
    (place / f"{epoch}.spool").write_bytes(b"garbage, and long enough to be looked at")
    hub.start()
    eventually(lambda: hub.show(session["id"])["status"] in ("idle", "failed"))
    hub.say(session["id"], script({"text": "again"}))
    hub.wait_idle(session["id"])
    is_put_away(hub, session["id"])


def claim_a_keeper(hub: RunningHub, session: str) -> int:
    """Says in the log that another keeper lives, which does not."""
    db = apsw.Connection(str(hub.home.store))
    [(doc,)] = db.execute("SELECT doc FROM sessions WHERE id = ?", (session,))
    s = json.loads(doc)
    epoch = int(s["keeper"]["epoch"]) + 1
    s["keeper"] = {"epoch": epoch, "state": "live"}
    db.execute("UPDATE sessions SET doc = ? WHERE id = ?", (json.dumps(s).encode(), session))
    db.close()
    return epoch


def test_a_repository_whose_objects_are_gone_fails_the_session_with_a_reason(
    hub: RunningHub,
) -> None:
    for pack in (hub.repo / ".git" / "objects").iterdir():
        shutil.rmtree(pack)
    session = hub.new("x", start=False, detach=True)
    eventually(lambda: hub.show(session["id"])["status"] != "preparing")
    shown = hub.show(session["id"])
    assert (shown["status"], bool(shown["error"])) == ("failed", True)
    is_put_away(hub, session["id"])


class Fragile(Reactor):
    """Breaks off as often as it is told to."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self.runs = 0
        self.done = asyncio.Event()

    def committed(self, batch: Batch) -> None:
        raise KeyError("no such follower")

    async def run(self) -> None:
        self.runs += 1
        if self.runs == 1:
            raise ValueError("once")
        self.done.set()


class Unlucky(Reactor):
    """Breaks off once, and then follows for good."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self.runs = 0

    async def run(self) -> None:
        self.runs += 1
        if self.runs == 1:
            raise OSError("too many open files")
        await asyncio.Event().wait()


async def test_a_reactor_that_goes_well_again_is_not_told_of_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manyhands.hub.core.hub.WELL_SECONDS", 0.05)
    async with open_hub(Home(tmp_path / "home")) as hub:
        told: list[str] = []
        over, forget = asyncio.Event(), hub.faults.over

        def forgotten(where: str) -> None:
            told.extend(fault.where for fault in hub.faults.known)
            forget(where)
            if where == "Unlucky":
                over.set()

        monkeypatch.setattr(hub.faults, "over", forgotten)
        hub.spawn(hub.keep_running(Unlucky(hub)))
        async with asyncio.timeout(60):
            await over.wait()
        assert set(told) == {"Unlucky"}
        assert hub.faults.known == []


async def test_a_reactor_that_breaks_off_begins_anew_and_the_doctor_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manyhands.hub.core.hub.WELL_SECONDS", 3600.0)
    async with open_hub(Home(tmp_path / "home")) as hub:
        fragile = hub.part(Fragile)
        heard: list[e.RepoAdded] = []
        hub.on(e.RepoAdded, heard.append)
        hub.spawn(hub.keep_running(fragile))
        async with asyncio.timeout(60):
            await fragile.done.wait()
        hub.store.subscribe(lambda batch: hub.tell(batch, [fragile]))
        await hub.record(e.RepoAdded(path=str(tmp_path)))
        assert heard, "one follower's mistake kept it from the others"
        faults = {one.detail.partition(":")[0] for one in await doctor(hub) if one.check == "fault"}
        assert {"Fragile", "Fragile.committed"} <= faults


async def test_what_fails_in_rounds_is_told_tried_again_and_forgotten_once_it_works(
    tmp_path: Path,
) -> None:
    async with open_hub(Home(tmp_path / "home")) as hub:
        tries: list[str] = []
        told: list[str] = []
        done = asyncio.Event()

        async def attend(key: str) -> None:
            tries.append(key)
            if len(tries) < 3:
                raise ZeroDivisionError("not yet")
            done.set()

        async def failed(key: str, error: Exception) -> None:
            told.append(f"{key}: {error}")
            assert [fault.what for fault in hub.faults.known] == ["ZeroDivisionError: not yet"]

        rounds = Rounds(hub, lambda key: not done.is_set(), attend, failed)
        rounds.consider("a")
        async with asyncio.timeout(60):
            await done.wait()
        await asyncio.sleep(0)
        assert told == ["a: not yet"] * 2
        assert hub.faults.known == []
