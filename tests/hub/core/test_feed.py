"""What subscribers get: everything of theirs, in order, or an honest cut."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from manyhands.contract.live import unpack
from manyhands.hub.core import feed as feed_module
from manyhands.hub.core.feed import EVENTS, Feed, Packed, Subscription
from manyhands.model import events as e
from manyhands.model.ids import MessageId, SessionId
from manyhands.model.live import TextDelta, ToolProgress
from manyhands.store import Batch, Stored
from tests.hub.facts import AT, died, finished

A, B = SessionId("a"), SessionId("b")


def delta(
    text: str,
    offset: int,
    *,
    session: SessionId = A,
    message: str = "m1",
    thinking: bool = False,
) -> TextDelta:
    return TextDelta(
        session=session,
        message=MessageId(message),
        offset=offset,
        text=text,
        turn=1,
        thinking=thinking,
    )


def told(session: SessionId, message: str, text: str = "so") -> e.AgentMessage:
    return e.AgentMessage(session=session, at=AT, message=MessageId(message), text=text)


def batch(first: int, *events: e.Fact) -> Batch:
    items = [
        Stored(seq, event.session, "agent_message", e.encode(event))
        for seq, event in enumerate(events, first)
    ]
    return Batch(items, list(events), frozenset(event.session for event in events))


def reader(feed: Feed, *topics: str) -> Subscription:
    subscription = Subscription()
    for topic in topics:
        feed.join(subscription, topic)
    return subscription


def decoded(bodies: Iterable[bytes]) -> list[Any]:
    found: list[Any] = msgspec.json.decode(b"[" + b",".join(bodies) + b"]")
    return found


async def taken(subscription: Subscription) -> list[Any]:
    async with asyncio.timeout(5):
        return decoded(entry for entry in await subscription.take() if isinstance(entry, bytes))


def so_far(feed: Feed, session: SessionId | None = None) -> list[tuple[int, str]]:
    return [(frame["offset"], frame["text"]) for frame in decoded(feed.so_far(session))]


async def test_what_has_gathered_is_taken_in_one_portion_and_in_order() -> None:
    feed = Feed()
    subscription = reader(feed, EVENTS)
    feed.committed(batch(1, told(A, "1"), told(B, "2")))
    feed.live([delta("He", 0)])
    feed.committed(batch(3, told(A, "3")))
    portion = await taken(subscription)
    assert [frame.get("seq") for frame in portion] == [1, 2, None, 3]


async def test_take_waits_until_something_comes() -> None:
    feed = Feed()
    subscription = reader(feed, EVENTS)
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(taken(subscription))
        await asyncio.sleep(0)
        assert not waiting.done()
        feed.committed(batch(1, told(A, "1")))
    assert [event["seq"] for event in waiting.result()] == [1]


async def test_a_subscription_to_one_session_gets_nothing_of_another() -> None:
    feed = Feed()
    subscription = reader(feed, "events/a")
    feed.committed(batch(1, told(B, "1"), told(A, "2"), told(B, "3")))
    feed.live([delta("x", 0, session=B), delta("y", 0)])
    portion = await taken(subscription)
    assert [(frame["session"], frame.get("seq")) for frame in portion] == [("a", 2), ("a", None)]


async def test_a_topic_of_a_session_tells_its_events_and_its_live_frames_by_its_name() -> None:
    feed = Feed()
    both, one = reader(feed, "session/a", "glance/b"), reader(feed, "session/a")
    feed.committed(batch(1, told(B, "1"), told(A, "2"), told(A, "3")))
    feed.live([delta("y", 0)])
    pieces = [(p["topic"], [f.get("seq") for f in p["frames"]]) for p in await taken(both)]
    assert sorted(pieces[:2]) == [("glance/b", [1]), ("session/a", [2, 3])]
    assert pieces[2:] == [("session/a", [None])]
    assert [p["topic"] for p in await taken(one)] == ["session/a", "session/a"]


async def test_a_topic_that_was_left_is_not_told_and_others_go_on() -> None:
    feed = Feed()
    mine, other = reader(feed, "session/a", "session/b"), reader(feed, "session/a")
    feed.leave(mine, "session/a")
    feed.committed(batch(1, told(A, "1"), told(B, "2")))
    assert [p["topic"] for p in await taken(mine)] == ["session/b"]
    assert [p["topic"] for p in await taken(other)] == ["session/a"]
    feed.unsubscribe(other)
    assert not feed.has_readers("session/a")
    assert feed.has_readers("session/b")


async def test_bytes_go_in_a_frame_of_their_own_that_names_their_topic() -> None:
    feed = Feed()
    terminal = reader(feed, "term/ü")
    feed.tell_bytes("term/ü", b"\x00\xff[1m")
    feed.tell_bytes("term/other", b"not theirs")
    feed.committed(batch(1, told(SessionId("ü"), "1")))
    [frame] = await terminal.take()
    assert isinstance(frame, Packed)
    assert frame == b"\x07term/\xc3\xbc\x00\xff[1m"
    assert unpack(frame) == ("term/ü", b"\x00\xff[1m")


async def test_who_left_gets_nothing_more() -> None:
    feed = Feed()
    subscription = reader(feed, EVENTS)
    feed.committed(batch(1, told(A, "1")))
    feed.unsubscribe(subscription)
    feed.committed(batch(2, told(A, "2")))
    assert len(await taken(subscription)) == 1


async def test_a_slow_reader_is_cut_off_and_keeps_nothing_while_another_misses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed_module, "MOST_BUFFERED", 4000)
    feed = Feed()
    slow, quick = reader(feed, EVENTS), reader(feed, EVENTS)
    seen: list[int] = []
    for number in range(1, 101):
        feed.committed(batch(number, told(A, str(number), "x" * 100)))
        seen += [event["seq"] for event in await taken(quick)]
    assert slow.cut.is_set()
    assert await taken(slow) == []
    assert not quick.cut.is_set()
    assert seen == list(range(1, 101))


async def test_a_late_joiner_gets_the_text_so_far() -> None:
    feed = Feed()
    feed.live([delta("Hello", 0), delta(", wor", 5), delta("ld", 10)])
    feed.live([delta("Elsewhere", 0, session=B, message="m2")])
    assert so_far(feed) == [(0, "Hello, world"), (0, "Elsewhere")]
    assert so_far(feed, B) == [(0, "Elsewhere")]


async def test_a_frame_that_repeats_text_does_not_double_it() -> None:
    feed = Feed()
    feed.live([delta("Hello", 0), delta("lo, world", 3)])
    assert so_far(feed) == [(0, "Hello, world")]


async def test_text_whose_beginning_was_not_seen_keeps_its_offset() -> None:
    feed = Feed()
    feed.live([delta("world", 7), delta("!", 12)])
    assert so_far(feed) == [(7, "world!")]


async def test_text_from_the_start_replaces_what_was_known() -> None:
    feed = Feed()
    feed.live([delta("world", 7), delta("Hello, world", 0)])
    assert so_far(feed) == [(0, "Hello, world")]


async def test_a_finished_message_is_no_longer_being_said() -> None:
    feed = Feed()
    feed.live([delta("Hello", 0), delta("Other", 0, message="m2")])
    feed.committed(batch(1, told(A, "m1", "Hello")))
    assert so_far(feed) == [(0, "Other")]


async def test_a_thought_and_the_words_of_one_message_stay_apart() -> None:
    feed = Feed()
    feed.live([delta("Hm", 0, thinking=True), delta("Hello", 0), delta("m", 2, thinking=True)])
    assert so_far(feed) == [(0, "Hmm"), (0, "Hello")]
    feed.committed(batch(1, e.AgentThought(session=A, at=AT, message=MessageId("m1"), text="Hmm")))
    assert so_far(feed) == [(0, "Hello")]


@pytest.mark.parametrize("end", [finished("a"), died("a")], ids=["turn", "agent"])
async def test_nothing_is_being_said_after_the_end_of_turn_or_agent(end: e.AnyEvent) -> None:
    feed = Feed()
    feed.live([delta("Hello", 0), delta("There", 0, session=B)])
    feed.committed(batch(1, end))
    assert so_far(feed) == [(0, "There")]


async def test_progress_of_a_tool_passes_and_is_not_remembered() -> None:
    feed = Feed()
    subscription = reader(feed, EVENTS)
    feed.live([ToolProgress(session=A, call="c1", tool="Bash", text="…")])
    assert [frame["type"] for frame in await taken(subscription)] == ["tool_progress"]
    assert feed.so_far() == []
