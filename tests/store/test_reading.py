"""Reading: pages of the log in wire form, which never wait for a writer."""

from __future__ import annotations

import asyncio

import msgspec

from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.store import Store
from manyhands.store.log import PAGE_BYTES
from tests.store.facts import AT, ONE, TWO, always, created, said, said_from, texts
from tests.store.test_writing import Gate


async def test_a_page_starts_after_a_number_and_ends_at_another(store: Store) -> None:
    await store.write(always(*said_from(1, 10)))
    assert texts(await store.events(3, upto=6)) == ["4", "5", "6"]
    assert texts(await store.events(3, limit=2)) == ["4", "5"]
    assert await store.events(10) == []
    assert await store.events(0, upto=0) == []


async def test_a_page_can_be_of_one_session(store: Store) -> None:
    await store.write(always(said("a", ONE), said("b", TWO), said("c", ONE)))
    assert [seq for seq, _ in await store.events(0, session=ONE)] == [1, 3]
    assert [seq for seq, _ in await store.events(1, session=ONE, upto=3)] == [3]
    assert await store.events(0, session=SessionId("none")) == []


async def test_a_page_holds_a_bounded_number_of_bytes(store: Store) -> None:
    large = "x" * (PAGE_BYTES // 4)
    await store.write(always(*(said(large) for _ in range(5))))
    sizes, after = [], 0
    while page := await store.events(after):
        sizes.append(len(page))
        after = page[-1][0]
    assert sizes == [2, 2, 1]


async def test_events_carry_number_session_type_and_time_on_the_wire(store: Store) -> None:
    await store.write(always(said("hello")))
    ((_, body),) = await store.events(0)
    assert msgspec.json.decode(body) == {
        "seq": 1,
        "type": "agent_message",
        "session": "one",
        "at": AT,
        "message": "hello",
        "text": "hello",
    }


async def test_an_event_of_a_newer_version_survives_untouched(store: Store) -> None:
    raw = b'{"type":"moon_landed","session":"one","at":"%s","crew":[1,{"x":null}]}' % AT.encode()
    await store.write(always(created(), e.decode(raw)))
    ((seq, body),) = await store.events(1)
    assert (seq, body) == (2, b'{"seq":2,' + raw[1:])


async def test_a_reader_does_not_wait_for_an_open_transaction(store: Store) -> None:
    await store.write(always(said("before")))
    gate = Gate()
    busy = asyncio.gather(store.write(gate))
    await asyncio.to_thread(gate.entered.wait)
    async with asyncio.timeout(50):  # before the gate gives up
        pages = await asyncio.gather(*(store.events(0) for _ in range(20)))
    assert store.token("none") is None
    assert not busy.done()
    gate.released.set()
    await busy
    assert [texts(page) for page in pages] == [["before"]] * 20


async def test_following_from_a_number_has_no_gap_and_no_double(store: Store) -> None:
    """Subscribe, note the last number, read up to it: the rest comes by subscription."""
    writes = asyncio.gather(*(store.write(always(said(str(n)))) for n in range(200)))
    await store.write(always(said("first")))
    heard: list[int] = []
    store.subscribe(lambda batch: heard.extend(item.seq for item in batch.items))
    upto = store.last_seq
    past = [seq for seq, _ in await store.events(0, upto=upto)]
    await writes
    assert past + heard == list(range(1, 202))
