"""Conversations beside the main one: a question that cannot write, and a second agent that may."""

from __future__ import annotations

from pathlib import Path

import psutil

from tests.support.driver import (
    ACTOR,
    REHEARSAL,
    Json,
    RunningHub,
    bash,
    hold,
    of_type,
    script,
    write,
)


def working(hub: RunningHub, *steps: Json, agent: str = ACTOR) -> Json:
    """A session whose agent is in the middle of its turn, until `go` is there."""
    session = hub.new(script(hold("go"), *steps, {"text": "main is done"}), agent=agent)
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until_type("tool_called", session["id"])
    return session


def test_a_side_question_is_answered_while_the_agent_works_and_changes_nothing(
    shared: RunningHub,
) -> None:
    # Only an agent that can be held to a plan may be asked beside.
    hub, session = shared, working(shared, write("main.txt"), agent=REHEARSAL)
    tries = (write("side.txt"), bash("touch side2.txt"))
    read = {"tool": "Read", "input": {"file_path": "README.md"}}
    asked = {"text": script(*tries, read, {"text": "It is a sample."}), "wait": True}
    answer = hub.act(session["id"], "conversations", **asked)
    assert answer["answer"].endswith("It is a sample.")
    assert (answer["status"], answer["writes"]) == ("idle", False)
    shown = hub.show(session["id"])
    assert shown["status"] == "working"
    assert [c["id"] for c in shown["conversations"]] == [answer["id"]]
    more = {"text": script({"text": "Again."}), "conversation": answer["id"], "wait": True}
    assert hub.act(session["id"], "conversations", **more)["answer"] == "Again."
    (Path(session["worktree"]) / "go").touch()
    [rested] = hub.wait_idle(session["id"])
    names = {path.name for path in Path(session["worktree"]).iterdir()}
    assert "main.txt" in names
    assert not {"side.txt", "side2.txt"} & names
    assert (rested["turn"], len(rested["attention"])) == (1, 0)
    said = of_type(hub.events(session["id"]), "agent_message")
    beside = [m["text"] for m in said if m.get("conversation") == answer["id"]]
    assert beside == ["It is a sample.", "Again."]
    assert "main is done" in [m["text"] for m in said if "conversation" not in m]


def test_a_second_agent_writes_only_when_the_first_has_finished(shared: RunningHub) -> None:
    hub, session = shared, working(shared, write("main.txt"))
    ref = session["id"]
    second = hub.act(
        ref, "conversations", text=script(write("second.txt"), {"text": "2"}), writes=True
    )
    assert second["status"] == "queued"
    (Path(session["worktree"]) / "go").touch()
    [rested] = hub.wait_idle(ref)
    assert (Path(session["worktree"]) / "second.txt").exists()
    assert [c["status"] for c in rested["conversations"]] == ["idle"]
    events = hub.events(ref)
    over = next(e["seq"] for e in of_type(events, "turn_finished") if "conversation" not in e)
    begun = next(
        e["seq"] for e in of_type(events, "turn_started") if e.get("conversation") == second["id"]
    )
    assert over < begun


def test_the_first_agent_waits_while_the_second_writes(shared: RunningHub) -> None:
    hub = shared
    session = hub.new(script({"text": "at rest"}))
    ref = session["id"]
    hub.wait_idle(ref)
    second = hub.act(ref, "conversations", text=script(hold("go"), {"text": "2"}), writes=True)
    with hub.reader(after=0, session=ref) as reader:
        reader.until(
            lambda f: f.get("type") == "tool_called" and f.get("conversation") == second["id"]
        )
        hub.say(ref, script(write("after.txt"), {"text": "1"}))
        assert not (Path(session["worktree"]) / "after.txt").exists()
        (Path(session["worktree"]) / "go").touch()
    hub.wait_idle(ref)
    events = hub.events(ref)
    finished = [e["seq"] for e in of_type(events, "turn_finished")]
    started = [e["seq"] for e in of_type(events, "turn_started")]
    assert finished[1] < started[2]
    assert (Path(session["worktree"]) / "after.txt").exists()


def test_a_side_question_whose_keeper_is_killed_says_so_and_the_session_goes_on(
    shared: RunningHub,
) -> None:
    hub = shared
    session = hub.new(script({"text": "at rest"}), agent=REHEARSAL)
    ref = session["id"]
    hub.wait_idle(ref)
    slow = script({"text": "never said", "delay": 600})
    asked = hub.act(ref, "conversations", text=slow)
    with hub.reader(after=0, session=ref) as reader:
        reader.until(lambda f: f.get("type") == "turn_started" and "conversation" in f)
        keeper: psutil.Process = hub.keeper(ref)
        keeper.kill()
        reader.until(lambda f: f.get("type") == "agent_exited" and "conversation" in f)
    shown = hub.show(ref)
    assert [(c["id"], c["status"]) for c in shown["conversations"]] == [(asked["id"], "failed")]
    hub.say(ref, script(write("on.txt"), {"text": "."}))
    hub.wait_idle(ref)
    assert (Path(session["worktree"]) / "on.txt").exists()


def test_one_can_be_stopped(shared: RunningHub) -> None:
    hub = shared
    session = hub.new(script({"text": "at rest"}))
    ref = session["id"]
    hub.wait_idle(ref)
    hub.act(ref, "conversations", text=script(hold("never"), {"text": "."}), writes=True)
    with hub.reader(after=0, session=ref) as reader:
        reader.until(lambda f: f.get("type") == "tool_called" and "conversation" in f)
    stopped = hub.act(ref, "stop")
    assert stopped["status"] == "idle"
    assert [c["status"] for c in stopped["conversations"]] == ["idle"]
