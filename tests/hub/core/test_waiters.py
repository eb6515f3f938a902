"""Waiting for a state to come about."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.hub.core.hub import Waiters
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import State
from tests.hub.facts import created


def named(id: str) -> SessionId:
    return SessionId(id)


@pytest.fixture
def state() -> State:
    return State()


@pytest.fixture
def waiters(state: State) -> Waiters:
    return Waiters(lambda: state)


async def test_what_holds_already_is_given_at_once(state: State, waiters: Waiters) -> None:
    state.apply(created("a"))
    found: Session = await waiters.until(lambda s: s.session(named("a")))
    assert found.id == "a"


async def test_the_first_value_after_a_commit_ends_the_wait(state: State, waiters: Waiters) -> None:
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(waiters.until(lambda s: s.session(named("a"))))
        await asyncio.sleep(0)
        waiters.check()
        state.apply(created("b"))
        waiters.check()
        assert not waiting.done()
        state.apply(created("a"))
        waiters.check()
        waiters.check()
    assert waiting.result().id == "a"


async def test_several_wait_for_different_things(state: State, waiters: Waiters) -> None:
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        a = tasks.create_task(waiters.until(lambda s: s.session(named("a"))))
        b = tasks.create_task(waiters.until(lambda s: s.session(named("b"))))
        await asyncio.sleep(0)
        state.apply(created("b"))
        waiters.check()
        await asyncio.wait([b])
        assert not a.done()
        state.apply(created("a"))
        waiters.check()


async def test_who_gave_up_is_forgotten(state: State, waiters: Waiters) -> None:
    asked: list[str] = []

    def condition(s: State) -> bool | None:
        asked.append("asked")
        return None

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await waiters.until(condition)
    asked.clear()
    waiters.check()
    assert asked == []
