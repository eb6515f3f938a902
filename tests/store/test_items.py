"""What a keeper sends is taken exactly once, with its reaction, and only from the latest keeper."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from manyhands.model import events as e
from manyhands.model.state import State
from manyhands.store import ItemsMissing, StaleEpoch, Store
from tests.store.facts import AT, ONE, TWO, always, said_from, texts


def note(state: State, events: Sequence[e.Fact]) -> Sequence[e.Fact]:
    known = state.session(ONE)
    steps = known.main.steps if known else 0
    return [e.NoteMade(session=ONE, at=AT, text=f"{len(events)} new, {steps} steps")]


async def test_items_are_taken_and_acknowledged(store: Store) -> None:
    assert await store.acked(ONE, 1) == 0
    assert await store.write_items(ONE, 1, 1, said_from(1, 3)) == 3
    assert await store.acked(ONE, 1) == 3
    assert texts(await store.events(0)) == ["1", "2", "3"]


async def test_items_sent_again_are_dropped(store: Store) -> None:
    await store.write_items(ONE, 1, 1, said_from(1, 3))
    assert await store.write_items(ONE, 1, 1, said_from(1, 3)) == 3
    assert await store.write_items(ONE, 1, 2, said_from(2, 5)) == 5
    assert texts(await store.events(0)) == ["1", "2", "3", "4", "5"]


async def test_the_same_items_at_the_same_time_are_taken_once(store: Store) -> None:
    await asyncio.gather(*(store.write_items(ONE, 1, 1, said_from(1, 9)) for _ in range(20)))
    assert texts(await store.events(0)) == [str(n) for n in range(1, 10)]


async def test_items_that_another_connection_took_are_dropped(store: Store, path: Path) -> None:
    await store.write_items(ONE, 1, 1, said_from(1, 3))
    other = Store.open(path)
    await other.write_items(ONE, 1, 4, said_from(4, 5))
    await other.close()
    assert await store.write_items(ONE, 1, 4, said_from(4, 6)) == 6
    assert texts(await store.events(0)) == ["1", "2", "3", "4", "5", "6"]


async def test_items_that_leave_a_gap_are_refused(store: Store) -> None:
    await store.write_items(ONE, 1, 1, said_from(1, 2))
    with pytest.raises(ItemsMissing) as refused:
        await store.write_items(ONE, 1, 4, said_from(4, 5))
    assert (refused.value.first, refused.value.acked) == (4, 2)
    assert store.last_seq == 2


async def test_a_reaction_sees_only_new_items_and_the_state_after_them(store: Store) -> None:
    await store.write_items(ONE, 1, 1, said_from(1, 2), note)
    await store.write_items(ONE, 1, 1, said_from(1, 3), note)
    await store.write_items(ONE, 1, 1, said_from(1, 3), note)
    expected = ["1", "2", "2 new, 2 steps", "3", "1 new, 3 steps"]
    assert texts(await store.events(0)) == expected


async def test_a_reaction_that_raises_takes_nothing(store: Store) -> None:
    def fail(state: State, events: Sequence[e.Fact]) -> Sequence[e.Fact]:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError):
        await store.write_items(ONE, 1, 1, said_from(1, 3), fail)
    assert (store.last_seq, await store.acked(ONE, 1)) == (0, 0)
    assert await store.write_items(ONE, 1, 1, said_from(1, 3)) == 3


async def test_a_keeper_that_was_succeeded_is_refused(store: Store) -> None:
    await store.write(always(e.KeeperStarted(session=ONE, at=AT, epoch=1)))
    await store.write_items(ONE, 1, 1, said_from(1, 2))
    await store.write(always(e.KeeperStarted(session=ONE, at=AT, epoch=2)))
    with pytest.raises(StaleEpoch) as refused:
        await store.write_items(ONE, 1, 3, said_from(3, 3))
    assert (refused.value.epoch, refused.value.current) == (1, 2)
    assert await store.write_items(ONE, 2, 1, said_from(3, 3)) == 1
    assert await store.acked(ONE, 1) == 2


async def test_each_session_is_counted_apart_and_over_a_restart(store: Store, path: Path) -> None:
    await store.write_items(ONE, 1, 1, said_from(1, 4, ONE))
    await store.write_items(TWO, 1, 1, said_from(1, 2, TWO))
    await store.close()
    reopened = Store.open(path)
    assert (await reopened.acked(ONE, 1), await reopened.acked(TWO, 1)) == (4, 2)
    assert await reopened.write_items(TWO, 1, 1, said_from(1, 3, TWO)) == 3
    assert reopened.last_seq == 7
    await reopened.close()
