"""kill -9 of hub, keeper and agent: nothing is lost, nothing doubled, nothing goes on alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.hub.conftest import MakeHub
from tests.hub.fleet.test_turns import PLAN, QUESTION, release
from tests.support.driver import (
    ACTOR,
    REHEARSAL,
    Json,
    RunningHub,
    eventually,
    gone,
    hold,
    of_type,
    script,
    write,
)


def task(number: int) -> str:
    """The files are the turn's own: a session may have several of them."""
    steps = (write(f"a{number}.txt"), hold(f"go{number}"), write(f"b{number}.txt"))
    return script(*steps, {"text": "all done"})


def held(hub: RunningHub, agent: str = ACTOR, at_rest: Json | None = None) -> Json:
    """A session whose agent is in the middle of a command: a new one, or one that is at rest.
    Beside it are the number of its task, and where in the log that began."""
    since = hub.get("/api/status")["last_seq"]
    with hub.reader() as reader:
        number = at_rest["turn"] + 1 if at_rest else 1
        if at_rest:
            hub.say(at_rest["id"], task(number))
        session = at_rest or hub.new(task(number), agent=agent)
        reader.until(
            lambda f: (
                f.get("session") == session["id"]
                and f.get("type") == "tool_called"
                and f["tool"] == "Bash"
            )
        )
    shown = hub.show(session["id"])
    # Claude Code writes its log a moment late: killed before, it would not know of the task.
    if shown["agent"] == REHEARSAL:
        eventually(lambda: has_noted(hub, shown, '"tool_use"', f"go{number}"))
    return {**shown, "number": number, "since": since}


def has_noted(hub: RunningHub, session: Json, *words: str) -> bool:
    """Whether one message in Claude Code's own log has all of the words."""
    place = hub.home.root / "rehearsal" / "home" / ".claude" / "projects"
    logs = [file.read_bytes() for file in place.glob(f"*/{session['agent_session']}.jsonl")]
    # The last line may be half written.
    entries = [json.loads(line) for log in logs for line in log.split(b"\n")[:-1]]
    messages = [json.dumps(entry.get("message")) for entry in entries]
    return any(all(word in message for word in words) for message in messages)


def let_go(session: Json) -> None:
    release(session, f"go{session['number']}")


def result(session: Json) -> Path:
    return Path(session["worktree"]) / f"b{session['number']}.txt"


@pytest.fixture
def session(hub: RunningHub) -> Json:
    """Held; its agent is the actor."""
    return held(hub)


@pytest.fixture(scope="module")
def last() -> list[str]:
    return []


@pytest.fixture
def claude(hub: RunningHub, last: list[str]) -> Json:
    """Held; its agent is Claude Code. Where the test before left its own at rest, it is that one,
    with one more turn."""
    [before] = [hub.show(id) for id in last] or [None]
    usable = before and (before["status"], before["error"]) == ("idle", None)
    found = held(hub, REHEARSAL, before if usable else None)
    last[:] = [found["id"]]
    return found


def require_told_once(hub: RunningHub, session: Json) -> list[Json]:
    """The whole log, numbered without a gap; every call began and ended once. The session's,
    since its task began."""
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
    since = session.get("since", 0)
    mine = [event for event in reader.events if event.get("session") == session["id"]]
    return [event for event in mine if event["seq"] > since]


def beginnings(hub: RunningHub, session: Json) -> list[Json]:
    """Every start of a keeper and of an agent that the session has had."""
    events = hub.events(session["id"])
    return of_type(events, "keeper_started") + of_type(events, "agent_started")


def kill(pid: int) -> psutil.Process:
    process = psutil.Process(pid)
    process.kill()
    return process


def test_a_second_hub_on_the_same_home_refuses_and_the_first_is_unharmed(
    hub: RunningHub, session: Json
) -> None:
    second = hub.spawn()
    out, errors = second.communicate(timeout=120)
    assert second.returncode == 1
    assert out == ""
    assert "another hub already runs" in errors
    assert hub.get("/api/status")["pid"] == hub.pid
    let_go(session)
    hub.wait_idle(session["id"])


def test_a_restarted_hub_adopts_the_living_keeper(hub: RunningHub, session: Json) -> None:
    keeper, port = hub.keeper(session["id"]).pid, hub.port
    started = beginnings(hub, session)
    hub.restart()
    assert hub.port == port
    assert hub.show(session["id"])["status"] == "working"
    assert hub.keeper(session["id"]).pid == keeper
    let_go(session)
    [rested] = hub.wait_idle(session["id"])
    assert rested["turn"] == session["number"]
    require_told_once(hub, session)
    assert beginnings(hub, session) == started
    hub.say(session["id"], script({"text": "again"}))
    assert hub.wait_idle(session["id"])[0]["turn"] == session["number"] + 1


def test_agents_finish_while_the_hub_is_down_and_every_event_is_there_once(
    hub: RunningHub, session: Json
) -> None:
    hub.kill()
    let_go(session)
    eventually(result(session).exists)
    hub.start()
    [rested] = hub.wait_idle(session["id"])
    assert rested["turn"] == session["number"]
    events = require_told_once(hub, session)
    assert [m["text"] for m in of_type(events, "agent_message")] == ["all done"]
    assert [f.get("outcome", "done") for f in of_type(events, "turn_finished")] == ["done"]


def test_an_orderly_stop_of_the_hub_leaves_agents_at_work(hub: RunningHub, session: Json) -> None:
    assert hub.terminate() == 0
    assert psutil.pid_exists(session["agent_pid"])
    hub.start()
    let_go(session)
    hub.wait_idle(session["id"])
    require_told_once(hub, session)


def test_down_with_all_stops_agents_and_keepers_too(hub: RunningHub, session: Json) -> None:
    agent, process = psutil.Process(session["agent_pid"]), hub.process
    assert process is not None
    hub.post("/api/down", {"all": True})
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert gone(agent)
    assert not hub.has_keeper(session["id"])
    hub.start()
    shown = hub.show(session["id"])
    assert (shown["status"], shown["agent_pid"]) == ("idle", 0)


def test_a_killed_keeper_takes_its_agent_along_and_the_work_is_completed(
    hub: RunningHub, claude: Json
) -> None:
    session = claude
    agent = psutil.Process(session["agent_pid"])
    left = agent.children(recursive=True)
    hub.keeper(session["id"]).kill()
    assert gone(agent), "an agent never outlives its keeper"
    let_go(session)
    [rested] = hub.wait_idle(session["id"])
    assert all(gone(process) for process in left)
    assert result(session).exists()
    assert rested["agent_session"] == session["agent_session"]
    events = require_told_once(hub, session)
    assert of_type(events, "agent_exited")[0]["reason"] == "its keeper died"
    assert of_type(events, "agent_started")[-1]["resumed"]


def test_a_killed_agent_is_resumed_by_its_id_and_completes_the_work(
    hub: RunningHub, claude: Json
) -> None:
    session = claude
    keeper = hub.keeper(session["id"]).pid
    kill(session["agent_pid"])
    let_go(session)
    [rested] = hub.wait_idle(session["id"])
    assert result(session).exists()
    assert rested["agent_session"] == session["agent_session"]
    assert hub.keeper(session["id"]).pid == keeper
    events = require_told_once(hub, session)
    assert not of_type(events, "agent_exited")[0].get("expected", False)
    assert [m.get("by", "human") for m in of_type(events, "user_message")] == ["human", "hub"]


def test_keeper_and_hub_killed_together_the_work_is_still_completed(
    hub: RunningHub, claude: Json
) -> None:
    session = claude
    agent = psutil.Process(session["agent_pid"])
    keeper = hub.keeper(session["id"])
    hub.kill()
    keeper.kill()
    assert gone(agent)
    let_go(session)
    hub.start()
    hub.wait_idle(session["id"])
    assert result(session).exists()
    require_told_once(hub, session)


def test_where_the_config_says_ask_a_death_waits_for_a_person(make_hub: MakeHub) -> None:
    hub = make_hub()
    hub.configure(hub.home.config.read_text() + 'resume = "ask"\n')
    session = held(hub)
    kill(session["agent_pid"])
    item = hub.wait_attention(session["id"])
    assert item["kind"] == "agent_died"
    let_go(session)
    hub.answer(session["id"], "retry")
    hub.wait_idle(session["id"])
    assert result(session).exists()


def test_a_death_that_is_left_stopped_stays_so(make_hub: MakeHub) -> None:
    hub = make_hub()
    hub.configure(hub.home.config.read_text() + 'resume = "ask"\n')
    session = held(hub)
    kill(session["agent_pid"])
    hub.wait_attention(session["id"])
    hub.answer(session["id"], "skip")
    assert hub.show(session["id"])["status"] == "idle"
    assert hub.get("/api/attention") == []


WAITING: dict[str, tuple[str, tuple[dict[str, Any], ...], tuple[str, ...]]] = {
    "permission": ("ask", (write("FILE"), {"text": "not reached"}), ("allow",)),
    "question": ("auto", (QUESTION, {"text": "not reached"}), ("Blue",)),
    "plan": ("plan", (*PLAN, {"text": "not reached"}), ("approve",)),
}


@pytest.fixture(scope="module")
def came_back() -> dict[str, Json]:
    """Sessions, by what was pending in them, whose agent came back and is there for another turn.
    None with a plan: the agent would not write the same file of a plan again."""
    return {}


def ask(hub: RunningHub, session: Json | None, kind: str, file: str) -> Json:
    """A session in which something will be pending, and where in the log that begins."""
    since = hub.get("/api/status")["last_seq"]
    mode, steps, _ = WAITING[kind]
    text = script(*steps, words="Remember the word heron.").replace("FILE", file)
    if session:
        hub.act(session["id"], "mode", mode=mode)
        hub.say(session["id"], text)
    return {**(session or hub.new(text, mode=mode, agent=REHEARSAL)), "since": since}


@pytest.mark.parametrize("kind", WAITING)
@pytest.mark.parametrize("victim", ["agent", "keeper", "hub and keeper"])
def test_what_was_pending_stays_open_and_its_answer_resumes_the_agent(
    hub: RunningHub, came_back: dict[str, Json], kind: str, victim: str
) -> None:
    options, file = WAITING[kind][2], f"{victim.replace(' ', '-')}.txt"
    session = ask(hub, came_back.pop(kind, None), kind, file)
    item = hub.wait_attention(session["id"])
    before = hub.show(session["id"])
    eventually(lambda: has_noted(hub, before, "heron"))
    agent, keeper = psutil.Process(before["agent_pid"]), hub.keeper(session["id"])
    alive = hub.get("/api/status")["last_seq"]
    if victim == "hub and keeper":
        hub.kill()
    (agent if victim == "agent" else keeper).kill()
    assert gone(agent)
    if victim == "hub and keeper":
        hub.start()
    with hub.reader(after=alive) as reader:
        reader.until_type("agent_exited", session["id"])
    shown = hub.show(session["id"])
    assert (shown["status"], shown["attention"]) == ("waiting", [item])
    assert not (Path(session["worktree"]) / file).exists()
    # The answer's words carry a new script: the old one ends with the agent that played it.
    told = {"text": "I remember $WORD.", "subst": {"$WORD": r"Remember the word (\w+)"}}
    more = script(*([write(file)] if kind == "permission" else []), told)
    hub.answer(session["id"], *options, text=more)
    [rested] = hub.wait_idle(session["id"])
    assert rested["agent_session"] == before["agent_session"]
    assert rested["attention"] == []
    events = require_told_once(hub, session)
    assert of_type(events, "agent_message")[-1]["text"] == "I remember heron."
    assert of_type(events, "agent_started")[-1]["resumed"]
    if kind == "permission":
        assert (Path(session["worktree"]) / file).exists()
        assert len(of_type(events, "permission_requested")) == 1, "an allow is a one-time grant"
    if kind == "plan":
        assert rested["mode"] == "edits"
    else:
        came_back[kind] = session


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


def test_who_looks_is_shown_what_the_diff_would_say_and_nobody_else_is(make_hub: MakeHub) -> None:
    hub = make_hub()
    session = hub.new("x", start=False)
    with hub.reader() as reader, hub.reader() as other:
        reader.socket.send(json.dumps({"look": [session["id"]]}))
        (Path(session["worktree"]) / "probe").touch()
        reader.until_type("diff_changed", session["id"])
        (Path(session["worktree"]) / "probe").unlink()
        # Written where it is ignored: nobody sees it before it is whole.
        (Path(session["worktree"]) / "mine.ignored").write_text("one\n")
        (Path(session["worktree"]) / "mine.ignored").rename(Path(session["worktree"]) / "mine.txt")
        told = reader.until(lambda f: f.get("path") == "mine.txt")
        shown = next(f for f in reader.live if f["file"]["path"] == "mine.txt")
        assert told["oid"] == shown["file"]["new_blob"]
        whole = hub.get(f"/api/sessions/{session['id']}/diff")
        assert [shown["file"]] == whole["files"]
        assert shown["patch"] == whole["patch"]
        other.until(lambda f: f.get("path") == "mine.txt")
        assert other.live == []


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
