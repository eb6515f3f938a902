"""At the gate: commands of every kind of agent, what a person is told, and that nobody waits."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from acp.schema import ToolCallStart

from manyhands.agents.acp.calls import AcpCall, Calls
from manyhands.agents.acp.gate import here_of, parts
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.gate import LONGEST_SUMMARY, Gate, permission_item
from manyhands.agents.permission.permits import Permits
from manyhands.agents.permission.policy import Allow, Ask, decide_all
from manyhands.model.attention.attention import Attention, Resolution
from tests.support.agent_driver import Driver, workplace

BOUNDS = Bounds(worktree=Path("/w"), cwd=Path("/w"), home=Path("/home/me"))


def acp_call(**raw: Any) -> AcpCall:
    piece = ToolCallStart(
        session_update="tool_call", tool_call_id="1", title="it", kind="execute", raw_input=raw
    )
    call = Calls().add(piece)
    assert call is not None
    return call


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "curl http://127.0.0.1:1/x>/outside/f",
            Ask("writes outside the worktree: /outside/f"),
        ),
        ("sed -i '40s/.*/x/' README.md", Allow()),
        ("git stash clear", Ask("drops what is on the stash, which all worktrees share")),
        (["bash", "-lc", "touch /outside/f"], Ask("writes outside the worktree: /outside/f")),
        (["bash", "-lc", "touch a 'b c'; ls"], Allow()),
        (["touch", "a; git push"], Allow()),
        (["git", "push"], Ask("sends to another machine")),
    ],
)
def test_commands_of_an_acp_agent_are_read_like_any_others(
    command: str | list[str], expected: Allow | Ask
) -> None:
    asked = acp_call(command=command)
    assert decide_all("auto", parts(asked), here_of(asked, BOUNDS)) == expected


class Reader(Gate):
    async def ask(self, item: Attention) -> Resolution:
        raise AssertionError(item)


async def test_others_go_on_while_a_long_command_is_read() -> None:
    place = workplace("s", Path("/w"), True, None)
    gate = Reader(Driver(), place, BOUNDS, Permits(), "auto")
    long = {"command": "touch " + "a " * 40_000}
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with asyncio.TaskGroup() as tasks:
        counting = tasks.create_task(count())
        await asyncio.sleep(0)
        before = turns
        decision = await gate.judge("Bash", long, [("Bash", long)], BOUNDS, "auto")
        counting.cancel()
    assert decision == Allow()
    assert turns > before


def test_the_item_holds_the_whole_command_and_tells_the_reason_even_of_a_long_one() -> None:
    place = workplace("s", Path("/w"), True, None)
    command = "echo " + "a" * 1000 + " > /outside/f\ngit push"
    decision = decide_all("auto", [("Bash", {"command": command})], BOUNDS)
    assert isinstance(decision, Ask)
    item = permission_item(place, "Bash", {"command": command}, decision.reason)
    assert item.detail["input"] == {"command": command}
    assert item.detail["reason"] == (
        "writes outside the worktree: /outside/f; sends to another machine"
    )
    assert item.summary.endswith(f"… ({decision.reason})")
    assert item.summary.startswith("Bash: echo aaa")
    assert len(item.summary) <= LONGEST_SUMMARY
    plain = permission_item(place, "Bash", {"command": "make"}, "runs a command")
    assert plain.summary == "Bash: make"
