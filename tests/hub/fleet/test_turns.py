"""Agents at work: from the first message to files on disk, and every word in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hub.conftest import MakeHub
from tests.support.driver import (
    REHEARSAL,
    Json,
    RunningHub,
    eventually,
    hold,
    of_type,
    script,
    write,
)

QUESTION = {
    "tool": "AskUserQuestion",
    "input": {
        "questions": [
            {
                "question": "Which?",
                "header": "Colour",
                "multiSelect": False,
                "options": [
                    {"label": "Red", "description": "warm"},
                    {"label": "Blue", "description": "cold"},
                ],
            }
        ]
    },
}
PLAN: tuple[dict[str, Any], ...] = (
    {
        "tool": "Write",
        "input": {"file_path": "$PLAN", "content": "# The plan\n"},
        "subst": {"$PLAN": r"(/\S+/plans/[\w.-]+\.md)"},
    },
    {"tool": "ExitPlanMode", "input": {}},
)


def release(session: Json, name: str = "go") -> None:
    (Path(session["worktree"]) / name).touch()


def test_a_task_becomes_files_and_the_session_rests(hub: RunningHub) -> None:
    session = hub.new(script(write("a.py", "print('hi')\n"), {"text": "Done, all of it."}))
    assert session["status"] in ("queued", "working")
    [rested] = hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "a.py").read_text() == "print('hi')\n"
    assert (rested["status"], rested["turn"], rested["error"]) == ("idle", 1, None)
    assert rested["unread"]
    assert rested["tokens"]["out"] > 0
    wanted = [
        "session_created",
        "user_message",
        "worktree_ready",
        "place_granted",
        "agent_started",
        "turn_started",
        "message_delivered",
        "tool_called",
        "tool_finished",
        "agent_message",
        "turn_finished",
    ]
    assert [t for t in hub.types(session["id"]) if t in wanted] == wanted
    diff = hub.get(f"/api/sessions/{session['id']}/diff")
    assert [(f["path"], f["status"]) for f in diff["files"]] == [("a.py", "added")]
    # The end of a turn waits for its diff only briefly.
    eventually(lambda: [hub.show(session["id"])[n] for n in ("added", "files_changed")] == [1, 1])


def test_text_streams_in_frames_that_lie_on_each_other_and_a_late_reader_gets_it_all(
    hub: RunningHub,
) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    with hub.reader() as reader:
        id = hub.new(script({"text": words, "chunk_delay": 0.1}))["id"]
        reader.until(lambda f: f.get("type") == "text_delta" and f["offset"] > 0)
        with hub.reader() as late:
            late.until(lambda f: f.get("type") == "text_delta")
            first = late.live[0]
            assert first["offset"] == 0
            assert words.startswith(first["text"])
            late.until_type("agent_message", id)
        reader.until_type("agent_message", id)
    for seen in (reader, late):
        text = ""
        for frame in seen.live:
            assert frame["offset"] <= len(text)
            text = text[: frame["offset"]] + frame["text"]
        assert words.startswith(text)
        assert text
    [message] = of_type(hub.events(id), "agent_message")
    assert message["text"] == words


def test_over_the_limit_a_session_waits_in_line_visibly_then_runs(make_hub: MakeHub) -> None:
    hub = make_hub(working=1)
    with hub.reader(after=0) as reader:
        first = hub.new(script(hold("go"), {"text": "first"}), name="First")
        reader.until_type("tool_called", first["id"])
        second = hub.new(script(write("b.py"), {"text": "second"}), name="Second")
        third = hub.new(script({"text": "third"}), name="Third")
        shown = [hub.show(s["id"]) for s in (first, second, third)]
        assert [s["status"] for s in shown] == ["working", "queued", "queued"]
        assert shown[1]["reason"] == "1 of 1 places in use; number 1 in line"
        assert shown[2]["reason"] == "1 of 1 places in use; number 2 in line"
        assert hub.get("/api/status")["sessions"] == {"working": 1, "queued": 2}
        release(first)
        hub.wait_idle(first["id"], second["id"], third["id"])
        reader.until_seq(hub.get("/api/status")["last_seq"])
    running, granted = 0, []
    for event in reader.events:
        granted += [event["session"]] if event["type"] == "place_granted" else []
        running += {"turn_started": 1, "turn_finished": -1}.get(event["type"], 0)
        assert running <= 1
    assert granted == [first["id"], second["id"], third["id"]]


def test_a_raised_limit_counts_with_the_next_word(make_hub: MakeHub) -> None:
    hub = make_hub(working=1)
    first = hub.new(script(hold("go"), {"text": "first"}))
    second = hub.new(script(hold("go"), {"text": "second"}))
    assert hub.show(second["id"])["status"] == "queued"
    hub.configure(hub.home.config.read_text().replace("working = 1", "working = 3"))
    third = hub.new(script({"text": "third"}))
    hub.wait_idle(third["id"])
    assert hub.show(second["id"])["status"] == "working"
    release(first)
    release(second)
    hub.wait_idle(first["id"], second["id"])


def test_a_word_within_a_turn_steers_it(hub: RunningHub) -> None:
    with hub.reader(after=0) as reader:
        session = hub.new(script(hold("go"), {"text": "one"}), agent=REHEARSAL)
        reader.until_type("tool_called", session["id"])
        said = hub.say(session["id"], script(write("steered.txt"), {"text": "steered"}))
        assert said == {"session": session["id"], "follow_up": False}
        # The first one was delivered before the call; what comes too late steers nothing.
        reader.until(lambda f: f.get("type") == "message_delivered")
        release(session)
        [rested] = hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "steered.txt").exists()
    assert rested["turn"] == 1
    messages = of_type(hub.events(session["id"]), "user_message")
    assert [m.get("steer", False) for m in messages] == [False, True]


def test_a_follow_up_waits_for_the_end_of_the_turn(hub: RunningHub) -> None:
    with hub.reader(after=0) as reader:
        session = hub.new(script(hold("go"), {"text": "one"}))
        reader.until_type("tool_called", session["id"])
        for number in (2, 3):
            said = hub.say(session["id"], script({"text": f"answer {number}"}), follow_up=True)
            assert said["follow_up"]
        assert len(hub.show(session["id"])["follow_ups"]) == 2
        release(session)
        [rested] = hub.wait_idle(session["id"])
    assert (rested["turn"], rested["follow_ups"]) == (3, [])
    said = [m["text"] for m in of_type(hub.events(session["id"]), "agent_message")]
    assert said == ["one", "answer 2", "answer 3"]


def test_a_follow_up_to_a_session_at_rest_is_simply_the_next_message(hub: RunningHub) -> None:
    id = hub.new(script({"text": "one"}))["id"]
    hub.wait_idle(id)
    assert hub.say(id, script({"text": "two"}), follow_up=True)["follow_up"] is False
    assert hub.wait_idle(id)[0]["turn"] == 2


def test_stop_ends_the_turn_and_the_next_word_goes_on(hub: RunningHub) -> None:
    with hub.reader() as reader:
        session = hub.new(script(write("a.txt"), hold("never"), write("b.txt"), {"text": "no"}))
        reader.until(lambda f: f.get("type") == "tool_called" and f["tool"] == "Bash")
        hub.say(session["id"], script({"text": "later"}), follow_up=True)
        stopped = hub.act(session["id"], "stop")
    assert stopped["status"] == "idle"
    [finished] = of_type(hub.events(session["id"]), "turn_finished")
    assert finished["outcome"] == "interrupted"
    assert len(hub.show(session["id"])["follow_ups"]) == 1, "held after an interrupt"
    hub.say(session["id"], script({"text": "on we go"}))
    [rested] = hub.wait_idle(session["id"])
    said = [m["text"] for m in of_type(hub.events(session["id"]), "agent_message")]
    assert said[-2:] == ["on we go", "later"]
    assert rested["follow_ups"] == []
    assert not (Path(session["worktree"]) / "b.txt").exists()


def test_stop_right_after_new_leaves_nothing_running(hub: RunningHub) -> None:
    session = hub.new(script(hold("never"), {"text": "no"}))
    assert hub.act(session["id"], "stop")["status"] == "idle"
    assert hub.show(session["id"])["status"] == "idle"


def test_stop_takes_a_queued_message_back(make_hub: MakeHub) -> None:
    hub = make_hub(working=1)
    first = hub.new(script(hold("go"), {"text": "first"}))
    second = hub.new(script(write("never.txt"), {"text": "second"}))
    assert hub.act(second["id"], "stop")["status"] == "idle"
    release(first)
    hub.wait_idle(first["id"], second["id"])
    assert hub.show(second["id"])["turn"] == 0


# Attention


def test_a_permission_waits_is_allowed_once_and_asked_again(hub: RunningHub) -> None:
    text = script(write("a.txt"), write("b.txt"), {"text": "done"})
    session = hub.new(text, mode="ask", agent=REHEARSAL)
    item = hub.wait_attention(session["id"])
    assert (item["kind"], item["session"]) == ("permission", session["id"])
    assert item["detail"]["tool"] == "Write"
    assert [o["id"] for o in item["options"]] == ["allow", "allow-session", "allow-repo", "deny"]
    assert hub.show(session["id"])["status"] == "waiting"
    assert hub.get("/api/attention/next")["id"] == item["id"]
    assert [i["id"] for i in hub.get("/api/attention")] == [item["id"]]
    assert hub.wait(session["id"])["outcome"] == "attention"
    settled = hub.answer(session["id"], "Allow once")
    assert (settled["id"], settled["options"]) == (item["id"], [])
    assert settled["resolution"]["options"] == ["allow"]
    second = hub.wait_attention(session["id"])
    assert second["id"] != item["id"]
    hub.answer(session["id"], "deny", text="Not this one.", item=second["id"])
    hub.wait_idle(session["id"])
    worktree = Path(session["worktree"])
    assert (worktree / "a.txt").exists()
    assert not (worktree / "b.txt").exists()
    denied = of_type(hub.events(session["id"]), "tool_finished")[-1]
    assert "Not this one." in denied["output"]


def test_an_item_is_answered_once(hub: RunningHub) -> None:
    session = hub.new(script(write("a.txt"), {"text": "done"}), mode="ask")
    item = hub.wait_attention(session["id"])
    hub.answer(session["id"], "allow", item=item["id"])
    with pytest.raises(AssertionError, match=r"^(409|404)"):
        hub.answer(session["id"], "deny", item=item["id"])
    hub.wait_idle(session["id"])


@pytest.mark.parametrize("options", [(), ("maybe",), ("allow", "deny")])
def test_an_answer_that_does_not_fit_is_refused_and_the_item_stays(
    hub: RunningHub, options: tuple[str, ...]
) -> None:
    session = hub.new(script(write("a.txt"), {"text": "done"}), mode="ask")
    item = hub.wait_attention(session["id"])
    with pytest.raises(AssertionError, match="400"):
        hub.answer(session["id"], *options)
    assert hub.show(session["id"])["attention"] == [item]
    hub.act(session["id"], "stop")


def test_allow_session_asks_no_more(hub: RunningHub) -> None:
    session = hub.new(script(write("a.txt"), write("b.txt"), {"text": "done"}), mode="ask")
    hub.wait_attention(session["id"])
    hub.answer(session["id"], "allow-session")
    hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "b.txt").exists()


def test_allow_repo_holds_for_the_next_session_too(hub: RunningHub) -> None:
    first = hub.new(script(write("a.txt"), {"text": "done"}), mode="ask")
    hub.wait_attention(first["id"])
    hub.answer(first["id"], "allow-repo")
    hub.wait_idle(first["id"])
    second = hub.new(script(write("a.txt"), {"text": "done"}), mode="ask")
    hub.wait_idle(second["id"])


def test_a_question_is_answered_by_its_label(hub: RunningHub) -> None:
    told = {"text": "You said $COLOUR.", "subst": {"$COLOUR": r'"Which\?"="(\w+)"'}}
    session = hub.new(script(QUESTION, told), agent=REHEARSAL)
    item = hub.wait_attention(session["id"])
    assert item["kind"] == "question"
    assert [(o["id"], o["label"]) for o in item["options"]] == [("q1.1", "Red"), ("q1.2", "Blue")]
    hub.answer(session["id"], "Blue")
    hub.wait_idle(session["id"])
    [message] = of_type(hub.events(session["id"]), "agent_message")
    assert message["text"] == "You said Blue."


def test_a_plan_changes_nothing_is_revised_and_then_approved(hub: RunningHub) -> None:
    text = script(*PLAN, *PLAN, write("built.txt"), {"text": "built"})
    session = hub.new(text, mode="plan", agent=REHEARSAL)
    worktree = Path(session["worktree"])
    item = hub.wait_attention(session["id"])
    assert item["kind"] == "plan"
    assert item["detail"]["plan"] == "# The plan\n"
    assert hub.git("status", "--porcelain", cwd=worktree) == ""
    hub.answer(session["id"], "revise", text="Smaller, please.")
    again = hub.wait_attention(session["id"])
    assert again["id"] != item["id"]
    hub.answer(session["id"], "approve")
    [rested] = hub.wait_idle(session["id"])
    assert (worktree / "built.txt").exists()
    assert rested["mode"] == "edits"


def test_stop_settles_what_was_asked(hub: RunningHub) -> None:
    session = hub.new(script(write("a.txt"), {"text": "done"}), mode="ask")
    hub.wait_attention(session["id"])
    stopped = hub.act(session["id"], "stop")
    assert (stopped["status"], stopped["attention"]) == ("idle", [])
    assert hub.get("/api/attention") == []
    assert not (Path(session["worktree"]) / "a.txt").exists()


# Models that fail


@pytest.mark.parametrize("status", [400, 401, 529])
def test_a_model_that_refuses_fails_the_turn_with_a_reason_and_resume_goes_on(
    hub: RunningHub, status: int
) -> None:
    text = script({"status": status, "error": "no such luck"}, write("a.txt"), {"text": "done"})
    hub.configure_hasty()
    session = hub.new(text, agent="hasty")
    waited = hub.wait(session["id"])
    assert waited["outcome"] == "failed"
    [failed] = waited["sessions"]
    assert failed["status"] == "failed"
    assert str(status) in failed["error"] or "no such luck" in failed["error"]
    assert failed["turn"] == 1
    hub.say(session["id"], script(write("a.txt"), {"text": "done"}))
    [rested] = hub.wait_idle(session["id"])
    assert rested["error"] is None
    assert (Path(session["worktree"]) / "a.txt").exists()


def test_resume_after_a_failed_turn_goes_on_by_the_agents_own_id(hub: RunningHub) -> None:
    text = script(write("a.txt"), {"status": 401, "error": "expired"}, {"text": "done"})
    hub.configure_hasty()
    session = hub.new(text, agent="hasty")
    assert hub.wait(session["id"])["outcome"] == "failed"
    before = hub.show(session["id"])["agent_session"]
    resumed = hub.act(session["id"], "resume")
    assert resumed["status"] in ("queued", "working")
    waited = hub.wait(session["id"])
    assert waited["outcome"] in ("reached", "failed")
    after = hub.show(session["id"])
    assert after["agent_session"] == before != ""
    assert after["turn"] == 2


def test_without_a_model_a_session_is_refused_with_a_hint(make_hub: MakeHub) -> None:
    hub = make_hub()
    hub.stop_model()
    with pytest.raises(AssertionError, match="409"):
        hub.new(script({"text": "x"}), agent=REHEARSAL)
    assert hub.get("/api/sessions") == []
