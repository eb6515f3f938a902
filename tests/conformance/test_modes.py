"""Modes of every agent, enforced by us; plans and questions where it has them."""

from __future__ import annotations

import pytest

from manyhands.errors import NotPossible
from manyhands.model.attention.attention import Resolution
from manyhands.model.events import AgentMessage, ModeChanged
from tests.conformance.bench import Stand
from tests.conformance.capability import proves
from tests.conformance.test_turns import Answers
from tests.support.agent_driver import Driver

pytestmark = pytest.mark.timeout(300)

PLAN = "1. read\n2. change\n"


@proves("plan mode", "mode switch", "plan approval", "question")
async def test_modes_hold_and_plans_and_questions_reach_the_person(stand: Stand) -> None:
    if "plan" not in stand.subject.capabilities.modes:
        await _refuses_to_plan(stand)
        return
    answers = Answers()
    before = stand.bench.tree()
    async with stand.agent("plan", answers) as driver:
        await _changes_nothing_while_it_plans(stand, driver)
        assert stand.bench.tree() == before
        assert driver.asked == []
        await _asks(stand, driver, answers)
        assert stand.bench.tree() == before
        await _plans(stand, driver, answers)
        await _keeps_to_its_mode(stand, driver, answers)


async def _refuses_to_plan(stand: Stand) -> None:
    """Where a mode cannot be enforced it is not offered; the others hold all the same."""
    answers = Answers()
    async with stand.agent("ask", answers) as driver:
        with pytest.raises(NotPossible, match="cannot be held to mode plan"):
            await driver.agent.set_mode("plan")
        await _asks(stand, driver, answers)
        await _keeps_to_its_mode(stand, driver, answers)
    with pytest.raises(ExceptionGroup) as caught:
        async with stand.agent("plan"):
            raise AssertionError("it started")
    assert caught.group_contains(NotPossible, match="cannot be held to mode plan")


async def _changes_nothing_while_it_plans(stand: Stand, driver: Driver) -> None:
    tries = [stand.write("a.txt"), stand.run("touch b.txt"), *stand.subject.other_writes("c.txt")]
    for attempt in tries:
        end = await driver.turn(stand.say(attempt, {"text": "tried"}))
        assert end.outcome == "done", end


async def _asks(stand: Stand, driver: Driver, answers: Answers) -> None:
    subject = stand.subject
    ask = subject.question("Which colour?", ("Red", "Blue"))
    told = {"text": "chosen: $IT", "subst": {"$IT": "(Red|Blue)"}}
    await driver.agent.set_mode(subject.question_mode)
    if not subject.capabilities.questions:
        await driver.turn(stand.say(ask, {"text": "nobody was asked"}))
        assert driver.asked == []
        return
    answers.next = [Resolution(("q1.2",))]
    end = await driver.turn(stand.say(ask, told))
    assert end.outcome == "done", end
    (item,) = driver.asked
    assert (item.kind, item.summary) == ("question", "Which colour?")
    assert [o.label for o in item.options][:2] == ["Red", "Blue"]
    assert driver.all(AgentMessage)[-1].text == "chosen: Blue"


async def _plans(stand: Stand, driver: Driver, answers: Answers) -> None:
    await driver.agent.set_mode("plan")
    asked = len(driver.asked)
    answers.next = [Resolution(("revise",), "take less"), Resolution(("approve",))]
    first, second = stand.subject.plan(PLAN), stand.subject.plan("1. take less\n")
    steps = (*first, *second, stand.write("planned.txt"), {"text": "carried out"})
    end = await driver.turn(stand.say(*steps))
    assert end.outcome == "done", end
    items = driver.asked[asked:]
    if not stand.subject.capabilities.plans:
        assert items == []
        assert not (stand.worktree / "planned.txt").exists()
        return
    assert [item.kind for item in items] == ["plan", "plan"]
    assert items[0].detail["plan"].strip() == PLAN.strip()
    assert items[0].summary == "Plan, 2 steps"
    assert driver.all(ModeChanged)[-1].mode == "edits"
    assert (stand.worktree / "planned.txt").exists()


async def _keeps_to_its_mode(stand: Stand, driver: Driver, answers: Answers) -> None:
    asked = len(driver.asked)
    await driver.agent.set_mode("edits")
    answers.next = [Resolution(("deny",))]
    await driver.turn(stand.say(stand.write("edit.txt"), stand.run("touch run.txt"), {"text": "x"}))
    assert [item.summary for item in driver.asked[asked:]] == ["Bash: touch run.txt"]
    await driver.agent.set_mode("auto")
    await driver.turn(
        stand.say(stand.write("auto.txt"), stand.run("touch run2.txt"), {"text": "x"})
    )
    assert len(driver.asked) == asked + 1
    await driver.agent.set_mode("ask")
    answers.next = [Resolution(("deny",))]
    await driver.turn(stand.say(stand.write("ask.txt"), {"text": "x"}))
    assert driver.asked[-1].summary == "Write: ask.txt"
    there = {
        name
        for name in ("edit", "run", "auto", "run2", "ask")
        if (stand.worktree / f"{name}.txt").exists()
    }
    assert there == {"edit", "auto", "run2"}
