"""Leases of a real hub: over 200 sessions, restarts, archive and restore; and who listens."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from manyhands.hub.creation.ports import MISSES, Sweep
from manyhands.model.events import Listening
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.workspace.events import Listener
from manyhands.model.workspace.workspace import Workspace
from tests.support.driver import eventually, of_type, script, write
from tests.support.workspace_hub import WorkspaceHub, make_hub

__all__ = ["make_hub"]

MakeHub = Callable[..., WorkspaceHub]


def ports_of(hub: WorkspaceHub) -> list[int]:
    return [port for s in hub.get("/api/sessions") for port in s["ports"].values()]


def test_two_hundred_sessions_have_two_hundred_ports_and_an_occupied_one_is_skipped(
    make_hub: MakeHub,
) -> None:
    # Where no other hub on this machine leases: its doctor would speak of the occupant.
    hub = make_hub("[workspaces]\npool = 0\nports = [4400, 4999]")
    with socket.socket() as occupant:
        occupant.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        occupant.bind(("127.0.0.1", 4405))
        occupant.listen()
        made = [hub.open_session(f"s{number}", detach=True)["id"] for number in range(200)]
        for id in made:  # each in its own time: a busy machine may need minutes for all
            hub.wait_idle(id)
    found = ports_of(hub)
    assert len(found) == len(set(found)) == 200
    assert 4405 not in found
    assert all(4400 <= port <= 4999 for port in found)


def test_a_lease_survives_a_restart_ends_at_archive_and_comes_back_at_restore(
    make_hub: MakeHub,
) -> None:
    hub = make_hub("[workspaces]\npool = 0\nports = [4310, 4312]")
    one: Any = hub.open_session("one")
    hub.restart()
    two: Any = hub.open_session("two")
    assert (one["ports"], two["ports"]) == ({"web": 4310}, {"web": 4311})
    hub.act(one["id"], "archive")
    three: Any = hub.open_session("three")
    assert three["ports"] == {"web": 4312}
    back = hub.act(one["id"], "restore")
    assert back["ports"] == {"web": 4310}
    hub.act(one["id"], "archive")
    four: Any = hub.open_session("four")
    assert four["ports"] == {"web": 4310}
    hub.act(two["id"], "archive")
    assert hub.act(one["id"], "restore")["ports"] == {"web": 4311}


def test_when_no_port_is_left_the_session_says_so_and_goes_on_once_there_is(
    make_hub: MakeHub,
) -> None:
    hub = make_hub("[workspaces]\npool = 0\nports = [4320, 4320]")
    one: Any = hub.open_session("one")
    two: Any = hub.open_session("two")
    assert two["status"] == "failed"
    assert "no port from 4320 to 4320 is free" in two["error"]
    hub.act(one["id"], "archive")
    hub.act(two["id"], "resume")
    [rested] = hub.wait_idle(two["id"])
    assert rested["ports"] == {"web": 4320}


SERVER = """\
import os, socket, time
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", int(os.environ["PORT"])))
server.listen()
while not os.path.exists("stop"): time.sleep(0.05)
"""


def test_a_server_that_the_agent_starts_is_shown_on_its_leased_port_until_it_ends(
    make_hub: MakeHub,
) -> None:
    # No other hub leases it: one whose session had it too would find it in use.
    hub = make_hub("[workspaces]\npool = 0\nports = [4330, 4330]", model=True)
    start = "nohup python3 server.py > server.log 2>&1 & echo started"
    session = hub.new(
        script(
            write("server.py", SERVER),
            {"tool": "Bash", "input": {"command": start, "description": "serve"}},
            {"text": "It runs."},
        )
    )
    port = session["ports"]["web"]
    assert port == 4330

    def heard() -> list[int]:
        return [one["port"] for one in hub.show(session["id"])["listening"]]

    eventually(lambda: heard() == [port])
    hub.restart()
    assert heard() == [port]
    (Path(session["worktree"]) / "stop").touch()
    eventually(lambda: heard() == [])
    assert len(of_type(hub.events(session["id"]), "listening_changed")) == 2


def listener(session: str, port: int, pid: int = 7) -> Listener:
    return Listener(session, port, pid, "node")


def test_a_port_is_taken_off_only_after_repeated_misses() -> None:
    sweep = Sweep()
    heard = (Listening(3000, 7, "node"),)
    s = Session(id=SessionId("a"), workspace=Workspace(listening=heard))
    for _ in range(MISSES - 1):
        assert sweep.changes([s], []) == []
    assert sweep.changes([s], [listener("a", 3000)]) == []
    for _ in range(MISSES - 1):
        assert sweep.changes([s], []) == []
    [changed] = sweep.changes([s], [])
    assert changed.listening == ()


def test_one_sweep_tells_sessions_apart() -> None:
    sessions = [Session(id=SessionId(name)) for name in "ab"]
    found = [listener("a", 3000), listener("b", 3001), listener("a", 9229), listener("zz", 1)]
    changes = Sweep().changes(sessions, found)
    assert {c.session: [one.port for one in c.listening] for c in changes} == {
        "a": [3000, 9229],
        "b": [3001],
    }


def test_two_homes_never_hold_the_same_port_and_what_is_gone_is_taken_over(
    make_hub: MakeHub, tmp_path: Path
) -> None:
    few = "[workspaces]\npool = 0\nports = [4340, 4345]"
    one = make_hub(few)
    other = WorkspaceHub(tmp_path / "other")
    other.user = one.user  # the same person, with another home
    try:
        other.configure(other.home.config.read_text() + few)
        other.start()
        other.repo = one.repo
        other.post("/api/repos/trust", {"path": str(other.repo)})
        mine, theirs = [], []
        for number in range(3):  # turn and turn about, each with a hub of its own
            mine.append(one.open_session(f"mine {number}")["id"])
            theirs.append(other.open_session(f"theirs {number}")["id"])
        assert sorted(ports_of(one) + ports_of(other)) == [4340, 4341, 4342, 4343, 4344, 4345]
        one.restart()  # nothing that is only in memory counts
        full = one.open_session("too many")
        assert "no port from 4340 to 4345 is free" in full["error"]
        freed = other.show(theirs[0])["ports"]["web"]
        other.act(theirs[0], "archive")
        eventually(lambda: one.act(full["id"], "resume")["status"] != "failed")
        one.wait_idle(full["id"])
        assert one.show(full["id"])["ports"] == {"web": freed}
        one.act(mine[0], "archive")
    finally:
        other.close()
    shutil.rmtree(other.home.root)
    left = [one.open_session(f"left {number}")["ports"]["web"] for number in range(3)]
    assert set(left) <= {4340, 4341, 4342, 4343, 4344, 4345}
