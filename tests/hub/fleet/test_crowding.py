"""How many agents start at once, and when it is crowded."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.hub.fleet import crowding
from manyhands.hub.fleet.crowding import Starts, is_crowded
from tests.hub.facts import World, finished, ready, said, turn


async def test_only_so_many_start_at_once_and_the_next_follows() -> None:
    starts, begun = Starts(at_once=1), asyncio.Event()

    async def start() -> None:
        async with starts.turn():
            begun.set()

    async with asyncio.TaskGroup() as tasks:
        async with starts.turn():
            tasks.create_task(start())
            await asyncio.sleep(0)
            assert not begun.is_set()
        await begun.wait()


async def test_a_start_that_takes_long_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowding, "SLOW_SECONDS", 0.01)
    starts = Starts(at_once=1)
    async with asyncio.timeout(30), starts.turn(), starts.turn():
        pass
    # Whoever took long gives back its turn once, and not twice.
    async with starts.turn():
        assert starts._free.locked()


def test_it_is_crowded_while_more_agents_work_than_the_machine_can_carry() -> None:
    world = World(working=9)
    for id in "abc":
        world.happens(*ready(id), said(id, "1"))
    assert is_crowded(world.state, processors=1)
    assert not is_crowded(world.state, processors=2)
    world.happens(*turn("a", 1, "1"))
    assert is_crowded(world.state, processors=1)
    world.happens(finished("a"))
    assert not is_crowded(world.state, processors=1)
