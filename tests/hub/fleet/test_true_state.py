"""What is said of a session is so: quiet, limited, finished, gone, taken up again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.driver import (
    REHEARSAL,
    Json,
    Refused,
    RunningHub,
    bash,
    hold,
    of_type,
    script,
    write,
)
from tests.support.shared_hub import MakeHub

LIMITED = {"status": 429, "error": "no more for now"}
HASTY = """
[agents.hasty]
kind = "claude"
[agents.hasty.env]
ANTHROPIC_BASE_URL = "MODEL"
ANTHROPIC_API_KEY = "dummy"
CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = "1"
CLAUDE_CODE_MAX_RETRIES = "1"
"""


def test_a_limit_waits_visibly_and_can_be_tried_again(configured: MakeHub) -> None:
    hub = configured(HASTY)
    session = hub.new(script(LIMITED), agent="hasty")
    item = hub.wait_attention(session["id"])
    assert item["kind"] == "limit"
    assert "429" in item["detail"]["error"]
    assert item["detail"]["resumes_at"] == ""
    shown = hub.show(session["id"])
    assert (shown["status"], shown["error"]) == ("waiting", None)
    finished = of_type(hub.events(session["id"]), "turn_finished")[-1]
    assert (finished["outcome"], finished["limited"]) == ("failed", True)
    hub.answer(session["id"], "skip")
    left = hub.show(session["id"])
    assert left["status"] == "failed"
    assert "429" in left["error"]


def test_a_limit_resumes_by_itself_where_that_is_allowed(configured: MakeHub) -> None:
    allowed = "resume = true\nresume_minutes = 0.02\n[defaults]"
    hub = configured("")
    hub.configure(
        hub.home.config.read_text().replace("[defaults]", allowed)
        + HASTY.replace("MODEL", hub.model_url)
    )
    session = hub.new(script(LIMITED), agent="hasty")
    with hub.reader(after=0, session=session["id"]) as reader:
        resolved = reader.until_type("attention_resolved", session["id"])
        assert resolved["resolution"]["by"] == "hub"
    # What it says came along, in the same commit.
    assert "hub" in [m.get("by") for m in of_type(reader.events, "user_message")]


def test_why_it_takes_so_long_is_told_while_the_model_does_not_answer(configured: MakeHub) -> None:
    hub = configured(HASTY.replace('RETRIES = "1"', 'RETRIES = "8"'))
    session = hub.new(script({"status": 529, "error": "busy"}), agent="hasty")
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until_type("agent_retried", session["id"])
    shown = hub.show(session["id"])
    assert shown["status"] == "working"
    assert "529" in shown["reason"]
    assert hub.act(session["id"], "stop")["reason"] == ""


def test_a_working_agent_tells_since_when_it_is_quiet(shared: RunningHub) -> None:
    session = shared.new(script(hold("go"), {"text": "."}))
    with shared.reader(after=0, session=session["id"]) as reader:
        called = reader.until_type("tool_called", session["id"])
    quiet = shared.show(session["id"])["quiet_since"]
    assert quiet >= called["at"]
    (Path(session["worktree"]) / "go").touch()
    [rested] = shared.wait_idle(session["id"])
    assert rested["quiet_since"] is None


def test_a_finished_agent_with_a_left_over_server_is_finished(shared: RunningHub) -> None:
    server = bash("nohup python3 -m http.server 0 >/dev/null 2>&1 & echo started")
    session = shared.new(script(server, {"text": "it runs"}))
    [rested] = shared.wait_idle(session["id"])
    assert (rested["status"], rested["quiet_since"]) == ("idle", None)


def test_resume_begins_no_turn_where_the_last_came_to_its_end(shared: RunningHub) -> None:
    session = shared.new(script({"text": "done"}))
    shared.wait_idle(session["id"])
    assert shared.act(session["id"], "resume")["status"] == "idle"
    assert shared.types(session["id"]).count("user_message") == 1


def test_resume_goes_on_with_a_turn_that_was_stopped(shared: RunningHub) -> None:
    session = shared.new(script(hold("never"), {"text": "."}))
    with shared.reader(after=0, session=session["id"]) as reader:
        reader.until_type("tool_called", session["id"])
    shared.act(session["id"], "stop")
    shared.act(session["id"], "resume")
    shared.wait_idle(session["id"])
    assert shared.types(session["id"]).count("turn_started") == 2


def test_words_to_a_session_whose_worktree_is_gone_are_refused_with_a_way_on(
    shared: RunningHub,
) -> None:
    session = shared.new(script(write("a"), {"text": "done"}))
    shared.wait_idle(session["id"])
    shutil.rmtree(session["worktree"])
    with pytest.raises(Refused, match="is gone") as refused:
        shared.say(session["id"], "go on")
    assert "manyhands restore" in refused.value.hint
    assert not shared.show(session["id"])["error"]


def past_of(hub: RunningHub, directory: Path) -> Json:
    return hub.get("/api/past", repo=str(directory), agent="rehearsal")


def test_a_past_conversation_is_taken_up_in_a_copy(shared: RunningHub) -> None:
    hub = shared
    before = hub.new(script({"text": "the password is swordfish"}), in_place=True, agent=REHEARSAL)
    hub.wait_idle(before["id"])
    hub.act(before["id"], "archive")
    (kept, *_) = past_of(hub, hub.repo)
    assert kept["id"] == hub.show(before["id"])["agent_session"]
    session = hub.new(script({"text": "I remember"}), resume=kept["id"], agent=REHEARSAL)
    [rested] = hub.wait_idle(session["id"])
    assert rested["agent_session"] not in ("", kept["id"])
    place = hub.home.root / "rehearsal" / "home" / ".claude" / "projects"
    (transcript,) = place.glob(f"*/{rested['agent_session']}.jsonl")
    assert "swordfish" in transcript.read_text()
    unknown = "00000000-0000-0000-0000-000000000000"
    with pytest.raises(Refused) as refused:
        hub.new(script({"text": "."}), resume=unknown, agent=REHEARSAL)
    assert refused.value.status == 404


def test_a_full_review_list_is_pointed_out_and_never_blocks(configured: MakeHub) -> None:
    hub = configured("")
    hub.configure(hub.home.config.read_text().replace("[limits]", "[limits]\nunread = 1"))
    first = hub.new(script({"text": "."}))
    assert first["notice"] == ""
    hub.wait_idle(first["id"])
    assert hub.get("/api/status")["unread"] == 1
    second = hub.new(script({"text": "."}))
    assert "1 session waits" in second["notice"]
    hub.wait_idle(second["id"])
