"""A hub that may open no more files, whose disk takes no more writes, or whose home is deleted: it
says so, harms nothing, and goes on, or makes room for the next one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest

from manyhands.model.ids import fresh_id
from tests.support.driver import SECONDS, Json, Refused, RunningHub, eventually
from tests.support.told_agent import call, configured, said, tell


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    hub = RunningHub(tmp_path / "hub")
    more = "[workspaces]\npool = 0\n"
    hub.configure(hub.home.config.read_text() + configured("told") + more)
    with hub as running:
        running.make_repo()
        yield running


Ask = Callable[[str, str, Json | None], tuple[int, Json]]


@contextmanager
def kept_open(hub: RunningHub) -> Iterator[Ask]:
    """By a connection that is there already."""
    with closing(HTTPConnection("127.0.0.1", hub.port, timeout=SECONDS)) as line:

        def ask(method: str, path: str, body: Json | None) -> tuple[int, Json]:
            headers = {
                **hub.bearer,
                "Content-Type": "application/json",
                "Idempotency-Key": fresh_id(),
            }
            line.request(method, path, None if body is None else json.dumps(body), headers)
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())

        ask("GET", "/api/sessions", None)
        yield ask


def findings(hub: RunningHub) -> dict[str, tuple[bool, str]]:
    return {f["check"]: (f["ok"], f["fix"]) for f in hub.get("/api/doctor")}


def test_a_hub_without_files_to_open_says_so_and_recovers(hub: RunningHub) -> None:
    session = hub.new(tell(said("Hello.")), agent="told", name="a")["id"]
    hub.wait_idle(session)
    process = psutil.Process(hub.pid)
    soft, hard = process.rlimit(psutil.RLIMIT_NOFILE)
    assert soft == min(hard, 65_536)
    with kept_open(hub) as ask:
        process.rlimit(psutil.RLIMIT_NOFILE, (3, hard))
        body = {"text": "x", "repo": str(hub.repo), "agent": "told", "name": "b"}
        status, failure = ask("POST", "/api/sessions", body)
        assert (status, failure["code"]) == (507, "machine_failed")
        assert failure["message"].startswith("Too many open files")
        assert "ulimit -n" in failure["hint"]
        _, found = ask("GET", "/api/doctor", None)
        assert [f["check"] for f in found if not f["ok"] and "ulimit -n" in f["fix"]]
    process.rlimit(psutil.RLIMIT_NOFILE, (soft, hard))
    # Whatever could not be done meanwhile is done, or can be asked for again.
    eventually(lambda: all(ok for ok, _ in findings(hub).values()))
    hub.say(session, tell(said("Again.")))
    eventually(lambda: hub.show(session)["status"] == "idle")
    hub.wait_idle(hub.new(tell(said("Hello.")), agent="told", name="c")["id"])


@contextmanager
def refused_writes(*processes: psutil.Process) -> Iterator[None]:
    """As on a disk that becomes read-only under what runs: files stay open, each write to one is
    refused by the kernel."""
    limits = [process.rlimit(psutil.RLIMIT_FSIZE) for process in processes]
    for process, (_, hard) in zip(processes, limits, strict=True):
        process.rlimit(psutil.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        for process, limit in zip(processes, limits, strict=True):
            process.rlimit(psutil.RLIMIT_FSIZE, limit)


def test_a_disk_that_takes_no_more_writes_is_told_and_nothing_is_lost(hub: RunningHub) -> None:
    go_on = hub.root / "go-on"
    look = call("1", title="Look", kind="read", status="in_progress", rawInput={})
    steps = (said("Before."), look, {"until": str(go_on)}, said("After."))
    session = hub.new(tell(*steps), agent="told", name="a")["id"]
    with hub.reader(after=0, session=session) as reader:
        reader.until(lambda e: e.get("type") == "tool_called")
    with refused_writes(psutil.Process(hub.pid), hub.keeper(session)):
        with pytest.raises(Refused) as refused:
            hub.say(session, "more")
        assert (refused.value.status, refused.value.code) == (507, "store_failed")
        assert refused.value.hint
        shown = hub.show(session)
        assert (shown["status"], "the disk" in shown["reason"]) == ("unreachable", True)
        assert not findings(hub)["store"][0]
        go_on.touch()
    hub.wait_idle(session)
    told = [e["text"] for e in hub.events(session) if e["type"] == "agent_message"]
    assert told == ["Before.", "After."]
    eventually(lambda: all(ok for ok, _ in findings(hub).values()))
    hub.wait_idle(hub.new(tell(said("Hello.")), agent="told", name="b")["id"])


def test_a_hub_whose_home_was_deleted_makes_room_for_the_next(hub: RunningHub) -> None:
    session = hub.new(tell(said("Hello.")), agent="told", name="a")["id"]
    hub.wait_idle(session)
    old, hub.process = hub.process, None
    config = hub.home.config.read_text()
    shutil.rmtree(hub.home.root.rename(hub.root / "deleted"))  # at one go: what runs there writes
    hub.home.make()
    hub.configure(config)
    hub.start()
    assert old is not None
    assert old.wait(timeout=SECONDS) == 0
    old.communicate()
    hub.change_repo()
    hub.wait_idle(hub.new(tell(said("Hello.")), agent="told", name="b")["id"])
    # The agent of before has lost its worktree and its hub.
    assert {check for check, (ok, _) in findings(hub).items() if not ok} <= {"process"}
    hub.post("/api/doctor", {"fix": True})
    eventually(lambda: all(ok for ok, _ in findings(hub).values()))
