"""A disk that is full or broken: a clear error for the caller, nothing half-done, then on again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import apsw
import pytest

from manyhands.errors import StoreFailed
from manyhands.model.ids import CommandId
from manyhands.store import Batch, ItemsMissing, Store
from tests.store.facts import ONE, always, asked, said, said_from, texts
from tests.store.faulty_disk import Call, Disk, faulty_disk

FAULTS: list[tuple[Call, type[apsw.Error], str]] = [
    ("write", apsw.FullError, "the disk is full"),
    ("write", apsw.IOError, "the disk"),
    ("sync", apsw.IOError, "the disk does not answer"),
]


@pytest.fixture
def disk() -> Iterator[Disk]:
    with faulty_disk() as disk:
        yield disk


@pytest.fixture
async def store(disk: Disk, path: Path) -> AsyncIterator[Store]:
    opened = Store.open(path)
    yield opened
    disk.mend()
    await opened.close()


@pytest.mark.parametrize(("call", "error", "words"), FAULTS)
async def test_a_commit_that_fails_changes_nothing_and_the_store_goes_on(
    store: Store, disk: Disk, path: Path, call: Call, error: type[apsw.Error], words: str
) -> None:
    published: list[Batch] = []
    await store.write(always(said("before")))
    store.subscribe(published.append)
    disk.failing[call] = error
    for _ in range(3):
        with pytest.raises(StoreFailed, match=words) as failed:
            await store.write(always(said("lost")))
        assert failed.value.hint
    assert (published, store.last_seq, store.state.sessions[ONE].main.steps) == ([], 1, 1)
    assert texts(await store.events(0)) == ["before"]
    disk.mend()
    await store.write(always(said("after")))
    assert store.last_seq == 2
    await store.close()
    reopened = Store.open(path)
    assert texts(await reopened.events(0)) == ["before", "after"]
    assert reopened.state.sessions[ONE].main.steps == 2
    await reopened.close()


@pytest.mark.parametrize("spare", range(8))
async def test_a_disk_that_fills_in_the_middle_of_a_commit_truncates_nothing(
    store: Store, disk: Disk, path: Path, spare: int
) -> None:
    await store.write(always(said("before")))
    disk.failing["write"], disk.spare = apsw.FullError, spare
    with pytest.raises(StoreFailed):
        await store.write(always(*(said("x" * 5000) for _ in range(20))))
    disk.mend()
    await store.close()
    reopened = Store.open(path)
    assert texts(await reopened.events(0)) == ["before"]
    await reopened.close()


async def test_every_unit_of_a_failed_batch_is_told(store: Store, disk: Disk) -> None:
    disk.failing["sync"] = apsw.IOError
    ended = await asyncio.gather(
        *(store.write(always(said(str(n)))) for n in range(20)), return_exceptions=True
    )
    assert [type(error) for error in ended] == [StoreFailed] * 20


async def test_a_command_that_failed_on_the_disk_left_no_receipt(store: Store, disk: Disk) -> None:
    disk.failing["write"] = apsw.FullError
    with pytest.raises(StoreFailed):
        await store.write(always(asked("hi"), result=1), receipt=CommandId("c"))
    disk.mend()
    assert await store.write(always(asked("hi"), result=2), receipt=CommandId("c")) == 2
    assert store.last_seq == 1


async def test_items_after_a_failed_batch_are_refused_until_the_failed_ones_come_again(
    store: Store, disk: Disk
) -> None:
    disk.failing["write"] = apsw.FullError
    with pytest.raises(StoreFailed):
        await store.write_items(ONE, 1, 1, said_from(1, 3))
    disk.mend()
    with pytest.raises(ItemsMissing):
        await store.write_items(ONE, 1, 4, said_from(4, 6))
    assert await store.write_items(ONE, 1, 1, said_from(1, 6)) == 6
    assert texts(await store.events(0)) == ["1", "2", "3", "4", "5", "6"]


async def test_a_full_disk_at_the_start_is_one_clear_error(disk: Disk, path: Path) -> None:
    disk.failing["write"] = apsw.FullError
    with pytest.raises(StoreFailed, match="the disk is full"):
        Store.open(path)
    disk.mend()
    store = Store.open(path)
    await store.write(always(said("x")))
    await store.close()
