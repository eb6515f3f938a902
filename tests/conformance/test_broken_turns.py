"""A turn that is interrupted, or whose model fails, never passes for done; the next can come."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import psutil
import pytest

from manyhands.model.events import AgentMessage, ToolCalled, ToolFinished, TurnFinished
from manyhands.model.live import TextDelta
from tests.conformance.bench import Stand
from tests.conformance.capability import proves
from tests.conformance.lent import Lent
from tests.support.agent_driver import Driver
from tests.support.driver import eventually

pytestmark = [pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

SECONDS = 60.0
STILL_SECONDS = 2.0
"""For so long an agent that tries again is seen not to give up."""
REASON = "the very reason"
RESULTS = (
    '"role": "tool"',
    '"type": "tool_result"',
    '"type": "function_call_output"',
    '"type": "custom_tool_call_output"',
)


@proves("interrupt", "silence")
async def test_an_interrupt_ends_the_turn_in_every_phase(lent: Lent) -> None:
    """The first: its model was told of no result before."""
    stand = lent.stand
    async with lent.agent("auto") as driver:
        assert not any(map(_tells_a_result, lent.requests))
        await driver.agent.send(stand.say(stand.write("a.txt"), {"text": "late", "delay": 600}))
        await driver.until(lambda: driver.all(ToolFinished))
        await asyncio.to_thread(eventually, lambda: any(map(_tells_a_result, lent.requests)))
        await _interrupt(driver)

        shown = len(driver.frames)
        await driver.agent.send(stand.say({"text": "word " * 400, "chunk_delay": 0.2}))
        await driver.until(lambda: any(isinstance(f, TextDelta) for f in driver.frames[shown:]))
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


@proves("error answers", "garbage")
async def test_an_error_of_the_model_is_a_failed_turn_with_its_reason(lent: Lent) -> None:
    stand = lent.stand
    async with lent.agent("ask") as driver:
        await _fails(stand, driver, 400, REASON)
        for status in (429, 529):
            await _is_overloaded(stand, driver, status)
        end = await driver.turn(stand.say({"garbage": "data: {{{ not json\n\n"}))
        assert end.outcome == "failed", end
        assert end.error
        assert driver.all(AgentMessage) == []
        await _says_nothing(stand, driver)
        end = await driver.turn(stand.say({"text": "again"}))
        assert end.outcome == "done", end
        # The last: some take no more after it.
        await _fails(stand, driver, 401, REASON, "logged in", "API key")
    await lent.end()


async def _fails(stand: Stand, driver: Driver, status: int, *reasons: str) -> None:
    end = await driver.turn(stand.say({"status": status, "error": REASON}))
    assert end.outcome == "failed", (status, end)
    assert any(reason in end.error for reason in reasons), (status, end)


async def _says_nothing(stand: Stand, driver: Driver) -> None:
    """An answer that holds nothing at all."""
    if stand.subject.asks_on_for_ever:
        return
    end = await driver.turn(stand.say({"garbage": ": nothing\n\n"}))
    assert end.outcome == "failed", end
    assert end.error


async def _is_overloaded(stand: Stand, driver: Driver, status: int) -> None:
    before = len(driver.all(TurnFinished))
    await driver.agent.send(stand.say({"status": status, "error": REASON}))
    if stand.subject.capabilities.overload == "tried again for ever":
        with pytest.raises(TimeoutError):
            await driver.until(lambda: len(driver.all(TurnFinished)) > before, STILL_SECONDS)
        await driver.agent.interrupt()
    await driver.until(lambda: len(driver.all(TurnFinished)) > before)
    end = driver.all(TurnFinished)[-1]
    if stand.subject.capabilities.overload == "fails the turn":
        assert end.outcome == "failed", end
        assert any(word in end.error for word in (REASON, str(status), "Rate limit")), end
    else:
        assert end.outcome == "interrupted", end
