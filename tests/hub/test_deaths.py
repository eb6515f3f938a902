"""kill -9 of hub, keeper and agent: nothing is lost, nothing doubled, nothing goes on alone."""

from __future__ import annotations

import json
from pathlib import Path

import psutil
import pytest

from tests.driver import Json, RunningHub, eventually, gone, hold, of_type, script, write
from tests.hub.conftest import MakeHub
from tests.hub.test_turns import PLAN, QUESTION, release

TASK = script(write("a.txt"), hold("go"), write("b.txt"), {"text": "all done"})


def held(hub: RunningHub) -> Json:
    """A session whose agent is in the middle of a command."""
    with hub.reader() as reader:
        session = hub.new(TASK)
        reader.until(lambda f: f.get("type") == "tool_called" and f["tool"] == "Bash")
    return hub.show(session["id"])


def require_told_once(hub: RunningHub, session: Json) -> list[Json]:
    """The whole log, numbered without a gap; every call began and ended once. The session's."""
    last = hub.get("/api/status")["last_seq"]
    with hub.reader(after=0) as reader:
        reader.until_seq(last)
    assert reader.seqs == list(range(1, len(reader.seqs) + 1))
    for kind in ("tool_called", "tool_finished"):
        calls = [event["call"] for event in of_type(reader.events, kind)]
        assert len(calls) == len(set(calls)), kind
    for kind in ("agent_message", "message_delivered"):
        messages = [event["message"] for event in of_type(reader.events, kind)]
        assert len(messages) == len(set(messages)), kind
    return [event for event in reader.events if event.get("session") == session["id"]]


def kill(pid: int) -> psutil.Process:
    process = psutil.Process(pid)
    process.kill()
    return process


def test_a_second_hub_on_the_same_home_refuses_and_the_first_is_unharmed(hub: RunningHub) -> None:
    session = held(hub)
    second = hub.spawn()
    out, errors = second.communicate(timeout=30)
    assert second.returncode == 1
    assert out == ""
    assert "another hub already runs" in errors
    assert hub.get("/api/status")["pid"] == hub.pid
    release(session)
    hub.wait_idle(session["id"])


def test_a_restarted_hub_adopts_the_living_keeper(hub: RunningHub) -> None:
    session = held(hub)
    keeper, port = hub.keeper(session["id"]).pid, hub.port
    hub.restart()
    assert hub.port == port
    assert hub.show(session["id"])["status"] == "working"
    assert hub.keeper(session["id"]).pid == keeper
    release(session)
    [rested] = hub.wait_idle(session["id"])
    assert rested["turn"] == 1
    types = [event["type"] for event in require_told_once(hub, session)]
    assert types.count("keeper_started") == 1
    assert types.count("agent_started") == 1
    hub.say(session["id"], script({"text": "again"}))
    assert hub.wait_idle(session["id"])[0]["turn"] == 2


def test_agents_finish_while_the_hub_is_down_and_every_event_is_there_once(hub: RunningHub) -> None:
    session = held(hub)
    hub.kill()
    release(session)
    eventually((Path(session["worktree"]) / "b.txt").exists)
    hub.start()
    [rested] = hub.wait_idle(session["id"])
    assert rested["turn"] == 1
    events = require_told_once(hub, session)
    assert [m["text"] for m in of_type(events, "agent_message")] == ["all done"]
    assert [f.get("outcome", "done") for f in of_type(events, "turn_finished")] == ["done"]


def test_an_orderly_stop_of_the_hub_leaves_agents_at_work(hub: RunningHub) -> None:
    session = held(hub)
    assert hub.terminate() == 0
    assert psutil.pid_exists(session["agent_pid"])
    hub.start()
    release(session)
    hub.wait_idle(session["id"])
    require_told_once(hub, session)


def test_down_with_all_stops_agents_and_keepers_too(hub: RunningHub) -> None:
    session = held(hub)
    agent, process = psutil.Process(session["agent_pid"]), hub.process
    assert process is not None
    hub.post("/api/down", {"all": True})
    process.communicate(timeout=30)
    assert process.returncode == 0
    assert gone(agent)
    assert not hub.has_keeper(session["id"])
    hub.start()
    shown = hub.show(session["id"])
    assert (shown["status"], shown["agent_pid"]) == ("idle", 0)


def test_a_killed_keeper_takes_its_agent_along_and_the_work_is_completed(hub: RunningHub) -> None:
    session = held(hub)
    agent = psutil.Process(session["agent_pid"])
    left = agent.children(recursive=True)
    hub.keeper(session["id"]).kill()
    assert gone(agent), "an agent never outlives its keeper"
    (Path(session["worktree"]) / "go").touch()
    [rested] = hub.wait_idle(session["id"])
    assert all(gone(process) for process in left)
    assert (Path(session["worktree"]) / "b.txt").exists()
    assert rested["agent_session"] == session["agent_session"]
    events = require_told_once(hub, session)
    assert of_type(events, "agent_exited")[0]["reason"] == "its keeper died"
    assert of_type(events, "agent_started")[-1]["resumed"]


def test_a_killed_agent_is_resumed_by_its_id_and_completes_the_work(hub: RunningHub) -> None:
    session = held(hub)
    keeper = hub.keeper(session["id"]).pid
    kill(session["agent_pid"])
    (Path(session["worktree"]) / "go").touch()
    [rested] = hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "b.txt").exists()
    assert rested["agent_session"] == session["agent_session"]
    assert hub.keeper(session["id"]).pid == keeper
    events = require_told_once(hub, session)
    assert not of_type(events, "agent_exited")[0].get("expected", False)
    assert [m.get("by", "human") for m in of_type(events, "user_message")] == ["human", "hub"]


def test_keeper_and_hub_killed_together_the_work_is_still_completed(hub: RunningHub) -> None:
    session = held(hub)
    agent = psutil.Process(session["agent_pid"])
    keeper = hub.keeper(session["id"])
    hub.kill()
    keeper.kill()
    assert gone(agent)
    (Path(session["worktree"]) / "go").touch()
    hub.start()
    hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "b.txt").exists()
    require_told_once(hub, session)


def test_where_the_config_says_ask_a_death_waits_for_a_person(make_hub: MakeHub) -> None:
    hub = make_hub()
    hub.configure(hub.home.config.read_text() + 'resume = "ask"\n')
    session = held(hub)
    kill(session["agent_pid"])
    item = hub.wait_attention(session["id"])
    assert item["kind"] == "agent_died"
    (Path(session["worktree"]) / "go").touch()
    hub.answer(session["id"], "retry")
    hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "b.txt").exists()


def test_a_death_that_is_left_stopped_stays_so(make_hub: MakeHub) -> None:
    hub = make_hub()
    hub.configure(hub.home.config.read_text() + 'resume = "ask"\n')
    session = held(hub)
    kill(session["agent_pid"])
    hub.wait_attention(session["id"])
    hub.answer(session["id"], "skip")
    assert hub.show(session["id"])["status"] == "idle"
    assert hub.get("/api/attention") == []


WAITING = {
    "permission": ("ask", (write("a.txt"), {"text": "not reached"}), ("allow",)),
    "question": ("auto", (QUESTION, {"text": "not reached"}), ("Blue",)),
    "plan": ("plan", (*PLAN, {"text": "not reached"}), ("approve",)),
}


@pytest.mark.parametrize("kind", WAITING)
@pytest.mark.parametrize("victim", ["agent", "keeper", "hub and keeper"])
def test_what_was_pending_stays_open_and_its_answer_resumes_the_agent(
    hub: RunningHub, kind: str, victim: str
) -> None:
    mode, steps, options = WAITING[kind]
    session = hub.new(script(*steps, words="Remember the word heron."), mode=mode)
    item = hub.wait_attention(session["id"])
    before = hub.show(session["id"])
    agent, keeper = psutil.Process(before["agent_pid"]), hub.keeper(session["id"])
    if victim == "hub and keeper":
        hub.kill()
    (agent if victim == "agent" else keeper).kill()
    assert gone(agent)
    if victim == "hub and keeper":
        hub.start()
    with hub.reader(after=0) as reader:
        reader.until_type("agent_exited", session["id"])
    shown = hub.show(session["id"])
    assert (shown["status"], shown["attention"]) == ("waiting", [item])
    assert not (Path(session["worktree"]) / "a.txt").exists()
    # The answer's words carry a new script: the old one ends with the agent that played it.
    told = {"text": "I remember $WORD.", "subst": {"$WORD": r"Remember the word (\w+)"}}
    more = script(*([write("a.txt")] if kind == "permission" else []), told)
    hub.answer(session["id"], *options, text=more)
    [rested] = hub.wait_idle(session["id"])
    assert rested["agent_session"] == before["agent_session"]
    assert rested["attention"] == []
    events = require_told_once(hub, session)
    assert of_type(events, "agent_message")[-1]["text"] == "I remember heron."
    assert of_type(events, "agent_started")[-1]["resumed"]
    if kind == "permission":
        assert (Path(session["worktree"]) / "a.txt").exists()
        assert len(of_type(events, "permission_requested")) == 1, "an allow is a one-time grant"
    if kind == "plan":
        assert rested["mode"] == "edits"


def test_an_item_stays_open_over_the_death_of_the_hub_and_its_answer_arrives(
    hub: RunningHub,
) -> None:
    session = hub.new(script(write("a.txt"), {"text": "done"}), mode="ask")
    item = hub.wait_attention(session["id"])
    hub.restart()
    assert hub.show(session["id"])["attention"] == [item]
    hub.answer(session["id"], "allow")
    hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "a.txt").exists()
    assert hub.types(session["id"]).count("permission_requested") == 1


def test_an_answer_given_before_the_hub_died_is_not_asked_again(hub: RunningHub) -> None:
    session = hub.new(script(write("a.txt"), {"text": "done"}), mode="ask")
    hub.wait_attention(session["id"])
    hub.answer(session["id"], "allow")
    hub.restart()
    hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "a.txt").exists()
    assert hub.types(session["id"]).count("permission_requested") == 1


def test_a_message_accepted_just_before_the_hub_died_is_delivered_once(hub: RunningHub) -> None:
    session = hub.new(script({"text": "one"}), detach=True)
    hub.restart()
    hub.wait_idle(session["id"])
    events = require_told_once(hub, session)
    assert [m["text"] for m in of_type(events, "agent_message")] == ["one"]


def test_stopping_a_session_whose_agent_died_with_a_question_open_leaves_it_stopped(
    hub: RunningHub,
) -> None:
    session = hub.new(script(write("a.txt"), {"text": "done"}), mode="ask")
    hub.wait_attention(session["id"])
    kill(hub.show(session["id"])["agent_pid"])
    with hub.reader(after=0) as reader:
        reader.until_type("agent_exited", session["id"])
    stopped = hub.act(session["id"], "stop")
    assert (stopped["status"], stopped["attention"]) == ("idle", [])
    assert hub.show(session["id"])["status"] == "idle"
    assert hub.types(session["id"]).count("user_message") == 1


def test_an_idle_session_costs_no_process_after_a_while(make_hub: MakeHub) -> None:
    hub = make_hub(linger=0.2)
    session = hub.new(script({"text": "one"}))
    with hub.reader(after=0) as reader:
        reader.until_type("keeper_exited", session["id"])
    assert not hub.has_keeper(session["id"])
    shown = hub.show(session["id"])
    assert (shown["status"], shown["agent_pid"]) == ("idle", 0)
    hub.say(session["id"], script({"text": "two"}))
    [rested] = hub.wait_idle(session["id"])
    assert rested["agent_session"] == shown["agent_session"]
    started = of_type(hub.events(session["id"]), "agent_started")
    assert [s.get("resumed", False) for s in started] == [False, True]


def test_who_looks_keeps_a_keeper_and_sees_edits_from_outside(make_hub: MakeHub) -> None:
    hub = make_hub(linger=0.2)
    session = hub.new("x", start=False)
    with hub.reader() as reader:
        reader.socket.send(json.dumps({"look": [session["id"], "nobody"]}))
        eventually(lambda: hub.has_keeper(session["id"]))
        (Path(session["worktree"]) / "mine.txt").write_text("one\n")
        changed = reader.until_type("diff_changed", session["id"])
        assert (changed["path"], changed["status"]) == ("mine.txt", "added")
        reader.socket.send('{"look": []}')
        reader.until_type("keeper_exited", session["id"])
    assert hub.show(session["id"])["files_changed"] == 1


def test_a_keeper_that_may_not_linger_still_waits_to_be_spoken_to(make_hub: MakeHub) -> None:
    hub = make_hub(linger=0)
    sessions = [hub.new(script({"text": "done"}))["id"] for _ in range(3)]
    assert {s["turn"] for s in hub.wait_idle(*sessions)} == {1}


def test_a_keeper_ends_when_told_to_while_its_agent_starts(make_hub: MakeHub) -> None:
    hub = make_hub()
    session = hub.new(script({"text": "done"}))
    eventually(hub.home.keeper_socket(session["id"]).exists)
    keeper = hub.keeper(session["id"])
    hub.post("/api/down", {"all": True})
    assert gone(keeper)
