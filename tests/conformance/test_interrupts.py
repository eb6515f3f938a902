"""Every agent can be interrupted whatever it does, and is there for the next message."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import psutil
import pytest

from manyhands.model.events import ToolCalled, ToolFinished, TurnFinished
from tests.agents.driver import Driver
from tests.agents.in_between import requests
from tests.conformance.bench import Stand
from tests.conformance.capability import proves
from tests.driver import eventually

__all__ = ["requests"]

pytestmark = pytest.mark.timeout(300)

SECONDS = 60.0
RESULTS = (
    '"role": "tool"',
    '"type": "tool_result"',
    '"type": "function_call_output"',
    '"type": "custom_tool_call_output"',
)


@proves("interrupt", "silence")
async def test_an_interrupt_ends_the_turn_in_every_phase(
    stand: Stand, requests: list[dict[str, Any]]
) -> None:
    async with stand.agent("auto") as driver:
        await driver.agent.send(stand.say(stand.write("a.txt"), {"text": "late", "delay": 600}))
        await driver.until(lambda: driver.all(ToolFinished))
        await asyncio.to_thread(eventually, lambda: any(map(_tells_a_result, requests)))
        await _interrupt(driver)

        await driver.agent.send(stand.say({"text": "word " * 400, "chunk_delay": 0.2}))
        await driver.until(lambda: driver.frames)
        await _interrupt(driver)

        calls = len(driver.all(ToolCalled))
        await driver.agent.send(stand.say(stand.run("touch begun; sleep 4321"), {"text": "no"}))
        await driver.until(lambda: len(driver.all(ToolCalled)) > calls)
        await asyncio.to_thread(eventually, (stand.worktree / "begun").exists)
        await _interrupt(driver)
        await asyncio.to_thread(eventually, lambda: not _commands(stand))

        await driver.agent.set_mode("ask")
        await driver.agent.send(stand.say(stand.run("touch asked.txt"), {"text": "no"}))
        await driver.until(lambda: driver.asked)
        await _interrupt(driver)
        assert driver.abandoned == driver.asked
        assert not (stand.worktree / "asked.txt").exists()

        end = await driver.turn(stand.say({"text": "still here"}))
        assert end.outcome == "done", end


def _tells_a_result(request: dict[str, Any]) -> bool:
    """The model is asked on after a tool call, in whichever protocol."""
    text = json.dumps(request)
    return any(mark in text for mark in RESULTS)


async def _interrupt(driver: Driver) -> None:
    before = len(driver.all(TurnFinished))
    await driver.agent.interrupt()
    await driver.until(lambda: len(driver.all(TurnFinished)) > before, SECONDS)
    assert driver.all(TurnFinished)[-1].outcome == "interrupted"


def _commands(stand: Stand) -> list[psutil.Process]:
    """What still runs of the command, by the session's mark in its environment."""
    found = []
    for process in psutil.process_iter():
        try:
            mine = process.environ().get("MANYHANDS_SESSION") == stand.session
            if mine and process.cmdline() == ["sleep", "4321"]:
                found.append(process)
        except psutil.Error:
            continue
    return found
