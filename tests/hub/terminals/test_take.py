"""A conversation in Claude Code's own screen: taken over in its middle, led there, given back."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.driver import Json, Refused, RunningHub, of_type, script
from tests.support.viewer import Viewer


@pytest.fixture(params=["none", "full"])
def hub(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RunningHub]:
    with RunningHub(tmp_path / "hub", box=request.param) as running:
        running.start_model()
        running.make_repo()
        yield running


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[RunningHub]:
    with RunningHub(tmp_path / "hub") as running:
        running.start_model()
        running.make_repo()
        yield running


def begun(hub: RunningHub) -> Json:
    session = hub.new(script({"text": "First, said here."}))
    hub.wait_idle(session["id"])
    return session


def take(hub: RunningHub, session: Json) -> Viewer:
    taken = hub.act(session["id"], "take", rows=40, columns=120)
    assert taken["exit_code"] is None
    return Viewer(hub, session["id"], taken["name"], rows=40, columns=120)


def type_in(viewer: Viewer, text: str) -> None:
    """As a person: the words, and Enter once they stand there."""
    viewer.until("for shortcuts")
    viewer.type(f"\x1b[200~{text}\x1b[201~")
    viewer.until(text[-20:])
    viewer.type("\r")


def until_turn_over(hub: RunningHub, session: Json, after: int) -> None:
    with hub.reader(after=after, session=session["id"]) as reader:
        reader.until_type("turn_finished")


def said(hub: RunningHub, session: Json) -> list[tuple[str, str]]:
    words = ("user_message", "message_typed", "agent_message")
    found = (event for event in hub.events(session["id"]) if event["type"] in words)
    return [(event["type"], event["text"].split(" <<")[0]) for event in found]


def test_what_is_said_in_its_own_screen_is_in_the_log_once_and_the_dialogue_goes_on(
    hub: RunningHub,
) -> None:
    session = begun(hub)
    id = session["id"]
    with take(hub, session) as viewer:
        viewer.until("First, said here.")
        assert hub.show(id)["taken"]["name"] == "claude"
        seq = hub.show(id)["seq"]
        type_in(viewer, script({"text": "Second, said there."}))
        viewer.until("Second, said there.")
        until_turn_over(hub, session, seq)
        hub.say(id, script({"text": "Third, said here again."}))
        assert len(hub.show(id)["follow_ups"]) == 1
        seq = hub.show(id)["seq"]
        given = hub.act(id, "give")
    assert given["taken"] is None
    until_turn_over(hub, session, seq)
    hub.wait_idle(id)
    events = hub.events(id)
    assert said(hub, session) == [
        ("user_message", "Please."),
        ("agent_message", "First, said here."),
        ("message_typed", "Please."),
        ("agent_message", "Second, said there."),
        ("user_message", "Please."),
        ("agent_message", "Third, said here again."),
    ]
    assert len({event["agent_session"] for event in of_type(events, "agent_started")}) == 1
    assert [event.get("reason", "") for event in of_type(events, "conversation_returned")] == [""]
    turns = [event.get("outcome", "done") for event in of_type(events, "turn_finished")]
    assert turns == ["done"] * 3
    assert hub.show(id)["cost_usd"] > 0
    assert not hub.show(id)["cost_estimated"]


def test_killed_in_the_middle_of_a_turn_it_gives_back_by_itself_and_says_so(
    plain: RunningHub,
) -> None:
    session = begun(plain)
    id = session["id"]
    with take(plain, session) as viewer:
        seq = plain.show(id)["seq"]
        type_in(viewer, script({"text": "Never said.", "delay": 600}))
        with plain.reader(after=seq, session=id) as reader:
            reader.until_type("turn_started")
        [terminal] = plain.show(id)["terminals"]
        os.kill(terminal["pid"], signal.SIGKILL)
        with plain.reader(after=seq, session=id) as reader:
            back = reader.until_type("conversation_returned")
    assert back["reason"] == "its program was ended by signal 9"
    assert plain.show(id)["taken"] is None
    seq = plain.show(id)["seq"]
    plain.say(id, script({"text": "Said afterwards."}))
    until_turn_over(plain, session, seq)
    assert said(plain, session)[-1] == ("agent_message", "Said afterwards.")


def test_a_dead_keeper_gives_back(plain: RunningHub) -> None:
    session = begun(plain)
    id = session["id"]
    plain.act(id, "take")
    seq = plain.show(id)["seq"]
    plain.keeper(id).kill()
    with plain.reader(after=seq, session=id) as reader:
        back = reader.until_type("conversation_returned")
    assert back["reason"] == "its keeper died"
    plain.say(id, script({"text": "Said afterwards."}))
    until_turn_over(plain, session, seq)
    assert plain.show(id)["status"] == "idle"


def test_a_turn_that_runs_is_stopped_first_and_stop_reaches_the_screen(plain: RunningHub) -> None:
    session = plain.new(script({"text": "One."}, {"text": "x"}))
    id = session["id"]
    plain.wait_idle(id)
    seq = plain.show(id)["seq"]
    plain.say(id, script({"text": "Never said.", "delay": 600}))
    with plain.reader(after=seq, session=id) as reader:
        reader.until_type("turn_started")
    with take(plain, session) as viewer:
        seq = plain.show(id)["seq"]
        write = {"tool": "Write", "input": {"file_path": "a.txt", "content": "a"}}
        type_in(viewer, script(write, {"text": "x"}))
        viewer.until("Do you want to create")
        with plain.reader(after=seq, session=id) as reader:
            reader.until_type("tool_called")
        assert plain.show(id)["status"] == "working"
        assert plain.act(id, "stop")["status"] == "idle"
        viewer.until("Interrupted")
        assert plain.show(id)["taken"] is not None
    outcomes = [
        event.get("outcome", "done") for event in of_type(plain.events(id), "turn_finished")
    ]
    assert outcomes == ["done", "interrupted", "interrupted"]
    plain.act(id, "archive")
    assert plain.show(id)["status"] == "archived"
    assert [p for p in plain.processes() if "claude" in p.name()] == []


def test_after_clear_the_session_goes_on_with_the_new_dialogue(plain: RunningHub) -> None:
    session = begun(plain)
    id = session["id"]
    with take(plain, session) as viewer:
        viewer.until("First, said here.")
        seq = plain.show(id)["seq"]
        type_in(viewer, "/clear")
        with plain.reader(after=seq, session=id) as reader:
            reader.until_type("message_typed")
        type_in(viewer, script({"text": "In the new one."}))
        until_turn_over(plain, session, seq)
    new = plain.show(id)["agent_session"]
    plain.act(id, "give")
    seq = plain.show(id)["seq"]
    plain.say(id, script({"text": "Still in it."}))
    until_turn_over(plain, session, seq)
    started = [event["agent_session"] for event in of_type(plain.events(id), "agent_started")]
    assert started[0] != new
    assert started[1:] == [new, new]
    assert [words for _, words in said(plain, session)][2:] == [
        *("/clear", "Please.", "In the new one.", "Please.", "Still in it.")
    ]


def test_its_terminal_is_not_started_anew_by_itself(plain: RunningHub) -> None:
    session = begun(plain)
    id = session["id"]
    plain.act(id, "take")
    assert plain.act(id, "take")["name"] == "claude"
    plain.act(id, "give")
    with pytest.raises(Refused, match="is for the agent's own program"):
        plain.post(f"/api/sessions/{id}/terminals/claude/restart", {})
    with pytest.raises(Refused, match="is for the agent's own program"):
        plain.post(f"/api/sessions/{id}/terminals", {"name": "claude", "command": ["/bin/sh"]})
    assert plain.act(id, "take")["name"] == "claude"
    assert len(plain.show(id)["terminals"]) == 1


def test_what_has_not_begun_is_not_taken_over(plain: RunningHub) -> None:
    session = plain.new("Nothing yet", start=False)
    with pytest.raises(Refused, match="no conversation to take over yet"):
        plain.act(session["id"], "take")
