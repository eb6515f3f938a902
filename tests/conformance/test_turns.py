"""A turn of every agent: words, tools, permission, models, what it cost."""

from __future__ import annotations

import itertools

import pytest

from manyhands.errors import NotPossible
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.events import (
    AgentMessage,
    AgentStarted,
    ToolCalled,
    ToolFinished,
    TurnFinished,
    UsageRecorded,
)
from manyhands.model.live import TextDelta
from tests.conformance.bench import Stand
from tests.conformance.capability import proves
from tests.conformance.lent import Lent
from tests.conformance.offers import tells_what_it_has_and_takes_what_it_is_given
from tests.support.agent_driver import Driver

pytestmark = [pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

HUGE = 900_000
"""Codex takes no longer message, and the script travels in it."""


class Answers:
    """A person who knows beforehand what will be asked."""

    def __init__(self) -> None:
        self.next: list[Resolution] = []

    async def __call__(self, item: Attention) -> Resolution:
        return self.next.pop(0)


@proves(
    "start",
    "stream",
    "tool call",
    "permission allowed",
    "permission denied",
    "permission denied with words",
    "model switch",
    "tokens",
    "cost",
    "effort",
    "files and pictures attached",
    "to-do list",
    "context meter",
    "commands listed",
    "held back by a budget",
)
async def test_an_agent_works_by_leave_and_tells_what_it_does(lent: Lent) -> None:
    stand, answers = lent.stand, Answers()
    async with lent.agent("ask", answers) as driver:
        (started,) = driver.all(AgentStarted)
        assert started.agent_session
        assert started.pid
        assert started.version.count(".") == 2
        await _streams(stand, driver)
        await _writes_when_allowed(stand, driver, answers)
        await _stops_when_denied(stand, driver, answers)
        await _hears_the_words_of_a_denial(stand, driver, answers)
        await _changes_its_model(stand, driver)
        await tells_what_it_has_and_takes_what_it_is_given(stand, driver, lent.requests)
        used = driver.all(UsageRecorded)
        assert sum(u.tokens_in for u in used) > 0
        assert sum(u.tokens_out for u in used) > 0
        assert (sum(u.cost_usd for u in used) > 0) is (stand.subject.capabilities.cost == "usd")


async def _streams(stand: Stand, driver: Driver) -> None:
    end = await driver.turn(stand.say({"text": "one two three"}))
    assert end.outcome == "done", end
    (said,) = driver.all(AgentMessage)
    assert said.text == "one two three"
    frames = [f for f in driver.frames if isinstance(f, TextDelta)]
    assert len(frames) >= 2
    assert {f.message for f in frames} == {said.message}
    lengths = itertools.accumulate((len(f.text) for f in frames), initial=0)
    assert [f.offset for f in frames] == list(lengths)[:-1]
    assert "".join(f.text for f in frames) == said.text


async def _writes_when_allowed(stand: Stand, driver: Driver, answers: Answers) -> None:
    answers.next = [Resolution(("allow",))]
    end = await driver.turn(stand.say(stand.write("allowed.txt"), {"text": "written"}))
    assert end.outcome == "done", end
    assert (stand.worktree / "allowed.txt").read_text() == "x\n"
    (called,), (ended,) = driver.all(ToolCalled), driver.all(ToolFinished)
    assert called.tool == ended.tool == "Write"
    assert called.input["file_path"].endswith("allowed.txt")
    assert (ended.call, ended.is_error) == (called.call, False)
    (item,) = driver.asked
    assert (item.kind, item.summary) == ("permission", "Write: allowed.txt")
    assert [option.id for option in item.options] == [
        "allow",
        "allow-session",
        "allow-repo",
        "deny",
    ]


async def _stops_when_denied(stand: Stand, driver: Driver, answers: Answers) -> None:
    answers.next = [Resolution(("deny",))]
    end = await driver.turn(stand.say(stand.run("touch denied.txt"), {"text": "well"}))
    assert end.outcome == "done", end
    assert driver.asked[-1].summary == "Bash: touch denied.txt"
    assert not (stand.worktree / "denied.txt").exists()
    assert driver.all(ToolFinished)[-1].is_error


async def _hears_the_words_of_a_denial(stand: Stand, driver: Driver, answers: Answers) -> None:
    answers.next = [Resolution(("deny",), "take the blue one")]
    heard = {"text": "heard: $WORDS", "subst": {"$WORDS": "(take the blue one)"}}
    meanwhile = [{"text": "well"}] if stand.subject.goes_on_when_denied else []
    end = await driver.turn(stand.say(stand.run("touch red.txt"), *meanwhile, heard))
    assert end.outcome == "done", end
    assert not (stand.worktree / "red.txt").exists()
    assert driver.all(AgentMessage)[-1].text == "heard: take the blue one"


async def _changes_its_model(stand: Stand, driver: Driver) -> None:
    name = {"text": "I am $MODEL", "subst": {"$MODEL": "<model>(.+?)</model>"}}
    for model in stand.subject.models[::-1]:
        await driver.agent.set_model(model)
        end = await driver.turn(stand.say(name))
        assert end.outcome == "done", end
        assert driver.all(AgentMessage)[-1].text == f"I am {model.rsplit('/', 1)[-1]}"


@proves("steer", "huge lines")
async def test_a_message_within_a_turn_steers_it_or_is_refused(lent: Lent) -> None:
    stand = lent.stand
    async with lent.agent("auto") as driver:
        wait = stand.run("until test -e go; do sleep 0.1; done")
        await driver.agent.send(stand.say(wait, {"text": "unsteered"}))
        await driver.until(lambda: driver.all(ToolCalled))
        assert driver.agent.capabilities.steers is stand.subject.capabilities.steers
        if driver.agent.capabilities.steers:
            await driver.agent.send(stand.say({"text": "steered"}))
        else:
            with pytest.raises(NotPossible):
                await driver.agent.send(stand.say({"text": "steered"}))
        (stand.worktree / "go").touch()
        await driver.until(lambda: driver.all(TurnFinished))
        expected = "steered" if driver.agent.capabilities.steers else "unsteered"
        assert driver.all(AgentMessage)[-1].text == expected
        assert len(driver.all(TurnFinished)) == 1

        content = "huge line " * (HUGE // 10) + "end\n"
        small = {"usage": {"in": 1000, "out": 10}}
        steps = ({**stand.write("huge.txt", content), **small}, {"text": "done", **small})
        end = await driver.turn(stand.say(*steps))
        assert end.outcome == "done", end
        if len(content) <= stand.subject.longest_file:
            assert (stand.worktree / "huge.txt").read_text() == content
        else:
            assert "exceeds" in driver.all(ToolFinished)[-1].output
        called = driver.all(ToolCalled)[-1]
        assert called.input_bytes > HUGE
        assert len(called.input["content"]) <= 64 * 1024
