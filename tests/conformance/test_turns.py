"""A turn of every agent: words, tools, permission, what it cost."""

from __future__ import annotations

from manyhands.model.attention import Attention, Resolution
from manyhands.model.events import (
    AgentMessage,
    AgentStarted,
    ToolCalled,
    ToolFinished,
    UsageRecorded,
)
from tests.conformance.bench import Stand


async def test_a_turn_streams_uses_tools_by_leave_and_tells_its_cost(stand: Stand) -> None:
    answers: list[Resolution] = []

    async def answer(item: Attention) -> Resolution:
        return answers.pop(0)

    async with stand.agent("ask", answer) as driver:
        (started,) = driver.all(AgentStarted)
        assert started.agent_session
        assert started.version
        finished = await driver.turn(stand.say({"text": "one two three"}))
        assert finished.outcome == "done", finished
        assert [m.text for m in driver.all(AgentMessage)] == ["one two three"]
        frames = [f for f in driver.frames if getattr(f, "text", "")]
        assert "".join(f.text for f in frames) == "one two three"
        assert len(frames) >= 2

        answers.append(Resolution(("allow",)))
        finished = await driver.turn(stand.say(stand.write("allowed.txt"), {"text": "written"}))
        assert finished.outcome == "done", finished
        assert (stand.worktree / "allowed.txt").read_text() == "x\n"
        (called,) = driver.all(ToolCalled)
        assert called.tool == "Write"
        assert called.input["file_path"].endswith("allowed.txt")
        (ended,) = driver.all(ToolFinished)
        assert (ended.call, ended.is_error) == (called.call, False)
        assert driver.asked[0].kind == "permission"
        assert driver.asked[0].summary == "Write: allowed.txt"
        assert sum(u.tokens_in for u in driver.all(UsageRecorded)) > 0
        cost = sum(u.cost_usd for u in driver.all(UsageRecorded))
        assert (cost > 0) is (stand.subject.capabilities.cost == "usd")
