"""Decisions are taken on the newest state, stored together, published in order, answered last."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import msgspec
import pytest

from manyhands.errors import BadInput, StoreFailed
from manyhands.model import events as e
from manyhands.model.ids import CommandId, SessionId
from manyhands.model.state import State
from manyhands.store import Batch, Decision, Store
from tests.store.facts import AT, ONE, TWO, always, asked, created, said, texts


class Gate:
    """A decision that keeps the writer busy until it is let go."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.released = threading.Event()

    def __call__(self, state: State) -> Decision[None]:
        self.entered.set()
        assert self.released.wait(60)
        return Decision((), None)


async def test_a_decision_is_stored_folded_and_answered(store: Store) -> None:
    assert await store.write(always(created(), result="done")) == "done"
    session = store.state.session(ONE)
    assert session is not None
    assert session.title == "A task"
    assert store.last_seq == 1


async def test_numbers_go_up_without_gaps_over_all_sessions(store: Store) -> None:
    await store.write(always(created(ONE), created(TWO)))
    await store.write(always(said("a", TWO)))
    assert [seq for seq, _ in await store.events(0)] == [1, 2, 3]


async def test_each_decision_sees_what_those_before_it_decided(store: Store) -> None:
    def add_one(state: State) -> Decision[int]:
        known = state.session(ONE)
        steps = known.main.steps if known else 0
        return Decision([said(str(steps))], steps)

    assert await asyncio.gather(*(store.write(add_one) for _ in range(50))) == list(range(50))


async def test_a_decision_that_raises_is_dropped_alone(store: Store) -> None:
    def refuse(state: State) -> Decision[None]:
        state.apply(created(TWO))
        raise BadInput("no")

    gate = Gate()
    busy = asyncio.gather(store.write(gate))
    await asyncio.to_thread(gate.entered.wait)
    together = asyncio.gather(
        store.write(always(created(ONE))),
        store.write(refuse),
        store.write(always(said("after"))),
        return_exceptions=True,
    )
    gate.released.set()
    await busy
    first, second, third = await together
    assert (first, third) == (None, None)
    assert isinstance(second, BadInput)
    assert texts(await store.events(0)) == ["", "after"]
    assert store.state.session(TWO) is None


async def test_an_event_that_cannot_be_encoded_hurts_nobody_else(store: Store) -> None:
    with pytest.raises(UnicodeEncodeError):
        await store.write(always(said("fine"), said("\udcff")))
    await store.write(always(said("later")))
    assert texts(await store.events(0)) == ["later"]
    assert store.state.sessions[ONE].main.steps == 1


async def test_what_a_decision_applies_to_its_own_view_counts_only_once(store: Store) -> None:
    usage = e.UsageRecorded(session=ONE, at=AT, cost_usd=1.0)

    def try_out(state: State) -> Decision[float]:
        state.apply(usage)
        return Decision([usage], state.sessions[ONE].spending.usd)

    assert await store.write(try_out) == 1.0
    assert store.state.sessions[ONE].spending.usd == 1.0


async def test_an_event_without_a_time_or_with_a_number_is_put_right(store: Store) -> None:
    await store.write(always(msgspec.structs.replace(created(), at="", seq=77)))
    ((seq, body),) = await store.events(0)
    event = e.decode(body)
    assert seq == 1
    assert isinstance(event, e.SessionCreated)
    assert event.seq == 1
    assert event.at == store.state.sessions[ONE].created_at != ""


async def test_writes_that_wait_are_committed_together(store: Store) -> None:
    batches: list[Batch] = []
    store.subscribe(batches.append)
    gate = Gate()
    busy = asyncio.gather(store.write(gate))
    await asyncio.to_thread(gate.entered.wait)
    rest = asyncio.gather(*(store.write(always(said(str(n)))) for n in range(100)))
    # Each write is submitted by its first step.
    await asyncio.sleep(0)
    gate.released.set()
    await busy
    await rest
    assert [len(batch.items) for batch in batches] == [100]
    assert (batches[0].first_seq, batches[0].last_seq) == (1, 100)


async def test_what_is_asked_for_in_one_step_of_the_loop_is_one_commit(store: Store) -> None:
    batches: list[Batch] = []
    store.subscribe(batches.append)
    await asyncio.gather(*(store.write(always(said(str(n)))) for n in range(100)))
    assert [len(batch.items) for batch in batches] == [100]


async def test_publication_follows_the_order_of_commits_and_comes_before_the_answer(
    store: Store,
) -> None:
    published: list[int] = []
    store.subscribe(lambda batch: published.extend(item.seq for item in batch.items))

    async def write(session: SessionId) -> None:
        for number in range(20):
            text = f"{session}-{number}"
            await store.write(always(said(text, session)))
            assert store.state.sessions[session].main.steps == number + 1
            assert len(published) >= number + 1

    await asyncio.gather(*(write(SessionId(f"s{n}")) for n in range(10)))
    assert published == list(range(1, 201)) == [seq for seq, _ in await store.events(0)]


async def test_a_batch_tells_its_events_bodies_and_changed_sessions(store: Store) -> None:
    batches: list[Batch] = []
    stop = store.subscribe(batches.append)
    await store.write(always(created(ONE), said("x", TWO)))
    stop()
    await store.write(always(said("unheard")))
    (batch,) = batches
    assert batch.sessions == {ONE, TWO}
    assert batch.events == [created(ONE), said("x", TWO)]
    assert [item.type for item in batch.items] == ["session_created", "agent_message"]
    assert [(item.seq, item.wire) for item in batch.items] == (await store.events(0))[:2]


async def test_a_subscriber_that_fails_stops_neither_others_nor_the_answer(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Batch] = []

    def fail(batch: Batch) -> None:
        raise RuntimeError("a bug")

    store.subscribe(fail)
    store.subscribe(heard.append)
    await store.write(always(created()))
    assert len(heard) == 1
    assert "a subscriber failed" in caplog.text


async def test_a_command_with_a_receipt_is_carried_out_once(store: Store, path: Path) -> None:
    command = CommandId("c1")
    first = await store.write(always(asked("hi"), result={"message": "m1"}), receipt=command)
    again = await store.write(always(asked("hi"), result={"message": "m2"}), receipt=command)
    assert first == again == {"message": "m1"}
    await store.close()
    reopened = Store.open(path)
    later = await reopened.write(always(asked("hi"), result=None), receipt=command)
    assert later == {"message": "m1"}
    assert reopened.last_seq == 1
    await reopened.close()


async def test_the_same_command_twice_in_one_batch_is_carried_out_once(store: Store) -> None:
    write = always(asked("hi"), result=None)
    await asyncio.gather(*(store.write(write, receipt=CommandId("c")) for _ in range(20)))
    assert store.last_seq == 1


async def test_a_refused_command_leaves_no_receipt(store: Store) -> None:
    def refuse(state: State) -> Decision[str]:
        raise BadInput("not yet")

    with pytest.raises(BadInput):
        await store.write(refuse, receipt=CommandId("c"))
    assert await store.write(always(asked("hi"), result="ok"), receipt=CommandId("c")) == "ok"


async def test_a_struct_as_result_comes_back_the_same_each_time(store: Store) -> None:
    write = always(created(), result=said("x"))
    first = await store.write(write, receipt=CommandId("c"))
    assert (
        first == await store.write(write, receipt=CommandId("c")) == msgspec.to_builtins(said("x"))
    )


async def test_a_caller_that_goes_away_does_not_take_its_write_along(store: Store) -> None:
    gate = Gate()
    busy = asyncio.gather(store.write(gate))
    await asyncio.to_thread(gate.entered.wait)
    leaving = asyncio.gather(store.write(always(said("stored"))))
    await asyncio.sleep(0)
    leaving.cancel()
    gate.released.set()
    await busy
    await store.write(always())
    assert texts(await store.events(0)) == ["stored"]


async def test_closing_stores_and_answers_what_was_submitted(path: Path) -> None:
    store = Store.open(path)
    writes = asyncio.gather(*(store.write(always(said(str(n)))) for n in range(30)))
    await asyncio.sleep(0)
    await store.close()
    await store.close()
    assert writes.done() or await writes
    reopened = Store.open(path)
    assert reopened.last_seq == 30
    assert reopened.state.sessions[ONE].main.steps == 30
    await reopened.close()
    assert [p.name for p in path.parent.iterdir()] == ["store.db"]


async def test_a_closed_store_says_so(path: Path) -> None:
    store = Store.open(path)
    await store.close()
    with pytest.raises(StoreFailed, match="closed"):
        await store.write(always())
    with pytest.raises(StoreFailed, match="closed"):
        await store.events(0)
    with pytest.raises(StoreFailed, match="closed"):
        store.token("x")
