"""What Claude Code tells beyond words and tools, and what it can be told: all of it for real."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from manyhands.agents.protocol import Workplace
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.events import (
    AgentStarted,
    Attachment,
    CommandsListed,
    Compacted,
    ContextMeasured,
    PermissionDecided,
    Todo,
    TodosChanged,
    ToolCalled,
    TurnFinished,
    UsageRecorded,
)
from tests.support.agent_driver import Bench, always, bash, script, task, write
from tests.support.in_between import PIXEL, requests

__all__ = ["requests"]


async def test_effort_is_set_at_the_start_and_while_it_lives(
    bench: Bench, requests: list[dict[str, Any]]
) -> None:
    bench.effort = "high"
    async with bench.agent() as driver:
        await driver.turn(script({"text": "a"}))
        await driver.agent.set_effort("low")
        await driver.turn(script({"text": "b"}))
        await driver.agent.set_model("haiku")
        await driver.turn(script({"text": "c"}))
    assert [r["output_config"]["effort"] for r in requests[:2]] == ["high", "low"]
    assert "haiku" in requests[2]["model"]
    assert not (bench.worktree / ".claude").exists()


async def test_pictures_go_to_the_model_and_other_files_can_be_read(
    bench: Bench, requests: list[dict[str, Any]]
) -> None:
    place = bench.home / "attachments"
    place.mkdir()
    (place / "dot.png").write_bytes(PIXEL)
    (place / "notes.txt").write_text("remember me")
    picture = Attachment(name="dot.png", media_type="image/png", path=str(place / "dot.png"))
    notes = Attachment(name="notes.txt", media_type="text/plain", path=str(place / "notes.txt"))
    bench.attachments = place
    words = script({"tool": "Read", "input": {"file_path": notes.path}}, {"text": "seen"})
    async with bench.agent() as driver:
        await driver.agent.send(words, (picture, notes))
        await driver.until(lambda: driver.all(TurnFinished))
    first = json.dumps(requests[0]["messages"])
    assert base64.b64encode(PIXEL).decode() in first
    assert f"notes.txt: {notes.path}" in first
    assert "remember me" in json.dumps(requests[1]["messages"])
    assert driver.asked == []


async def test_the_list_of_things_to_do_is_followed_over_a_resume(bench: Bench) -> None:
    tasks = [{"tool": "TaskCreate", "input": {"subject": s, "description": s}} for s in "ab"]
    begin = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "in_progress"}}
    async with bench.agent() as driver:
        await driver.turn(script({"tools": tasks}, begin, {"text": "."}))
        session = driver.all(AgentStarted)[0].agent_session
    assert driver.all(TodosChanged)[-1].todos == (Todo("a", "doing"), Todo("b", "pending"))
    done = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}
    async with bench.agent(resume=session) as driver:
        await driver.turn(script(done, {"text": "."}))
    assert driver.all(TodosChanged)[-1].todos == (Todo("a", "done"), Todo("b", "pending"))


async def test_the_window_is_measured_and_compaction_told(bench: Bench) -> None:
    async with bench.agent() as driver:
        await driver.turn(script({"text": "a", "usage": {"in": 40_000, "out": 10}}))
        measured = driver.all(ContextMeasured)[-1]
        assert measured.limit >= 200_000
        assert 40_000 <= measured.used < 50_000
        await driver.turn("/compact")
    (compacted,) = driver.all(Compacted)
    assert compacted.before > compacted.after > 0
    assert driver.all(ContextMeasured)[-1].used < measured.used


async def test_commands_and_skills_are_listed(bench: Bench) -> None:
    skill = bench.home / ".claude" / "skills" / "greet"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: greet\ndescription: Says hello\n---\nSay hello.\n")
    async with bench.agent() as driver:
        await driver.turn(script({"text": "."}))
    (listed,) = driver.all(CommandsListed)
    offered = {command.name: command.description for command in listed.commands}
    assert "compact" in offered
    assert "Says hello" in offered["greet"]


async def test_calls_of_a_sub_agent_name_the_call_that_started_it(bench: Bench) -> None:
    async with bench.agent("auto") as driver:
        await driver.turn(script(task(bash("echo inner"), {"text": "sub"}), {"text": "main"}))
    by_tool = {event.tool: event for event in driver.all(ToolCalled)}
    starting = by_tool.get("Task") or by_tool["Agent"]
    assert by_tool["Bash"].parent == starting.call
    assert starting.parent == ""


async def test_costs_are_estimated_within_a_turn_and_exact_after_it(bench: Bench) -> None:
    async with bench.agent("auto") as driver:
        await driver.turn(script(bash("true"), write("a"), {"text": "."}))
    records = driver.all(UsageRecorded)
    estimates = [r for r in records if r.estimated]
    assert len([r for r in estimates if r.cost_usd > 0]) == 3
    assert sum(r.cost_usd for r in estimates) == pytest.approx(0, abs=1e-9)
    assert sum(r.tokens_in for r in estimates) == 0
    assert sum(r.cost_usd for r in records) > 0


async def test_a_held_agent_begins_no_tool_call_until_it_is_cleared(bench: Bench) -> None:
    async with bench.agent("auto") as driver:
        driver.hold()
        await driver.agent.send(script(write("a"), {"text": "."}))
        await driver.until(lambda: driver.waiting)
        assert not (bench.worktree / "a").exists()
        driver.release()
        await driver.until(lambda: driver.all(TurnFinished))
        assert (bench.worktree / "a").exists()
        driver.hold()
        await driver.agent.send(script(write("b"), {"text": "."}))
        await driver.until(lambda: driver.waiting)
        await driver.agent.interrupt()
        await driver.until(lambda: len(driver.all(TurnFinished)) > 1)
    assert not (bench.worktree / "b").exists()


async def test_a_side_question_can_read_and_nothing_else(bench: Bench) -> None:
    bench.writes = False
    bench.permits.repo = (Rule("Bash", kind="tool"), Rule("Write", kind="tool"))
    before = bench.tree()
    tries = (write("a"), bash("touch b"), task(write("c"), bash("touch d"), {"text": "."}))
    read = {"tool": "Read", "input": {"file_path": "README"}}
    async with bench.agent("auto") as driver:
        assert (await driver.turn(script(*tries, read, {"text": "ok"}))).outcome == "done"
    assert bench.tree() == before
    assert driver.asked == []


async def test_plan_mode_changes_nothing_whatever_is_tried(bench: Bench) -> None:
    before = bench.tree()
    bench.permits.repo = (Rule("Bash", kind="tool"), Rule("Write", kind="tool"))
    tries = (write("a"), bash("touch b"), task(write("c"), bash("touch d"), {"text": "."}))
    async with bench.agent("plan", always("allow")) as driver:
        await driver.turn(script(*tries, {"text": "one"}))
        await driver.turn(script(bash("cat README > e; git commit -am x"), {"text": "two"}))
    assert bench.tree() == before
    denied = [d for d in driver.all(PermissionDecided) if d.decision == "deny"]
    assert {d.tool for d in denied} == {"Write", "Bash"}
    assert {(d.by, d.rule) for d in denied} == {("mode", "mode plan")}


async def test_a_rule_by_prefix_covers_its_kind_of_command_only(bench: Bench) -> None:
    bench.permits.repo = (Rule("Bash", "git add", "prefix"),)

    async def deny(item: Attention) -> Resolution:
        return Resolution(("deny",))

    calls = (bash("git add README"), bash("git add README && rm -rf README"))
    async with bench.agent("ask", deny) as driver:
        await driver.turn(script(*calls, {"text": "."}))
    assert [item.summary for item in driver.asked] == ["Bash: git add README && rm -rf README"]
    assert (bench.worktree / "README").exists()
    (allowed,) = [d for d in driver.all(PermissionDecided) if d.decision == "allow"]
    assert (allowed.by, allowed.rule) == ("rule", "Bash: git add …")


async def test_a_limit_of_the_provider_tells_when_it_is_over(bench: Bench) -> None:
    reset = 1_900_000_000
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(reset),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }
    limited = {"status": 429, "error": "no more for now", "headers": headers}
    # Only a subscription has such limits; the token is as much a dummy as the key.
    bench.env |= {"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": "dummy"}
    async with bench.agent() as driver:
        end = await driver.turn(script(limited))
    assert (end.outcome, end.limited) == ("failed", True)
    assert end.resets_at == "2030-03-17T17:46:40.000Z"


def test_a_workplace_writes_unless_told_otherwise(tmp_path: Path) -> None:
    assert Workplace(session="s", worktree=tmp_path, repo="").writes  # type: ignore[arg-type]
