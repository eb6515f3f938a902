"""What goes wrong with a model or a program is said, in one sentence, and never passes for done."""

from __future__ import annotations

import pytest

from manyhands.model.events import AgentMessage, TurnFinished
from tests.agents.driver import Driver
from tests.conformance.bench import Stand
from tests.conformance.capability import proves

STILL_SECONDS = 2.0
"""For so long an agent that tries again is seen not to give up."""
REASON = "the very reason"


@proves("error answers", "garbage")
async def test_an_error_of_the_model_is_a_failed_turn_with_its_reason(stand: Stand) -> None:
    async with stand.agent() as driver:
        for status in (400, 401):
            end = await driver.turn(stand.say({"status": status, "error": REASON}))
            assert end.outcome == "failed", (status, end)
            assert REASON in end.error or "logged in" in end.error, (status, end)
        for status in (429, 529):
            await _is_overloaded(stand, driver, status)
        end = await driver.turn(stand.say({"garbage": "data: {{{ not json\n\n"}))
        assert end.outcome == "failed", end
        assert end.error
        assert driver.all(AgentMessage) == []
        end = await driver.turn(stand.say({"text": "again"}))
        assert end.outcome == "done", end


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
        assert REASON in end.error or str(status) in end.error, end
    else:
        assert end.outcome == "interrupted", end
