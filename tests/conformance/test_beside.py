"""A side question to every agent: it reads, and whatever it tries, nothing is changed."""

from __future__ import annotations

import pytest

from manyhands.errors import NotPossible
from manyhands.model.agent.rules import Rule
from manyhands.model.events import PermissionDecided
from tests.conformance.bench import Stand
from tests.conformance.capability import proves

pytestmark = pytest.mark.timeout(300)

EVERYTHING = (Rule("Bash", kind="tool"), Rule("Write", kind="tool"))


@proves("side question that cannot write")
async def test_a_side_question_can_read_and_nothing_else(stand: Stand) -> None:
    stand.writes = False
    stand.permits.repo = EVERYTHING
    if "plan" not in stand.subject.capabilities.modes:
        with pytest.raises(ExceptionGroup) as caught:
            async with stand.agent("ask"):
                raise AssertionError("it started")
        assert caught.group_contains(NotPossible, match="cannot be held to mode plan")
        return
    before = stand.bench.tree()
    tries = [stand.write("a.txt"), stand.run("touch b.txt"), *stand.subject.other_writes("c.txt")]
    async with stand.agent("auto") as driver:
        for attempt in tries:
            end = await driver.turn(stand.say(attempt, {"text": "tried"}))
            assert end.outcome == "done", end
    assert stand.bench.tree() == before
    assert driver.asked == []
    assert {d.decision for d in driver.all(PermissionDecided)} == {"deny"}
