"""Hub and keeper understand each other over a real socket, whatever the sizes and the cuts."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator

import msgspec
import pytest
from hypothesis import given

from manyhands.model import events as e
from manyhands.model import wire as w
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.ids import AttentionId, CommandId, MessageId, SessionId
from manyhands.model.live import TextDelta
from tests.model.strategies import any_event

ONE = SessionId("one")
ITEM = Attention(id=AttentionId("x"), session=ONE, kind="plan", summary="?", raised_at="2026-01-31")
COMMANDS: list[w.AnyCommand] = [
    w.Say(message=MessageId("m"), text="hé\u202e\x00"),
    w.Settle(item=ITEM, resolution=Resolution(("approve",), "go")),
    w.Interrupt(),
    w.SetMode(mode="auto"),
    w.SetModel(model="m"),
    w.SetRules(rules=(Rule("Bash", "make"),)),
    w.Look(on=True),
    w.Stop(),
]
FROM_HUB: list[w.AnyFromHub] = [
    w.Hello(protocol=w.PROTOCOL, epoch=3, acked=17),
    w.Ack(upto=18),
    *(w.Do(id=CommandId(str(n)), command=command) for n, command in enumerate(COMMANDS)),
]
DELTA = TextDelta(session=ONE, message=MessageId("m"), offset=5, text="…")
FROM_KEEPER: list[w.AnyFromKeeper] = [
    w.Welcome(protocol=w.PROTOCOL, session=ONE, epoch=3, pid=7, live=(DELTA,)),
    w.Live(frames=(DELTA,)),
    w.Done(id=CommandId("1"), error="no"),
    w.Items(first=18, events=(msgspec.Raw(e.encode(e.TurnStarted(session=ONE, turn=2))),)),
]


class Line:
    """Two ends of a socket: raw bytes go in, a stream reader comes out."""

    def __init__(self, sender: socket.socket, reader: asyncio.StreamReader) -> None:
        self.sender = sender
        self.reader = reader

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.sender, data)


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=theirs)
    yield Line(ours, reader)
    ours.close()
    writer.close()
    await writer.wait_closed()


async def test_every_message_of_the_hub_arrives_as_it_was_sent(line: Line) -> None:
    await line.send(b"".join(map(w.frame, FROM_HUB)))
    assert [await w.read_from_hub(line.reader) for _ in FROM_HUB] == FROM_HUB


@pytest.mark.parametrize("portion", [1, 3, 100, 1_000_000])
def test_every_message_of_a_keeper_arrives_as_it_was_sent(portion: int) -> None:
    data = b"".join(map(w.frame, FROM_KEEPER))
    stream = w.KeeperStream()
    portions = (data[start : start + portion] for start in range(0, len(data), portion))
    assert [message for part in portions for message in stream.feed(part)] == FROM_KEEPER


def test_a_keepers_frame_over_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(ConnectionError, match="over the limit"):
        w.KeeperStream().feed(struct.pack(">I", w.LARGEST + 1))


def test_what_a_keeper_sent_stays_as_it_was_while_more_comes() -> None:
    stream = w.KeeperStream()
    (items,) = stream.feed(w.frame(FROM_KEEPER[-1]))
    stream.feed(w.frame(FROM_KEEPER[0]) * 100)
    assert items == FROM_KEEPER[-1]


async def test_messages_cut_into_single_bytes_arrive_whole(line: Line) -> None:
    async with asyncio.TaskGroup() as tasks:
        received = tasks.create_task(w.read_from_hub(line.reader))
        for byte in w.frame(FROM_HUB[2]):
            await line.send(bytes([byte]))
    assert received.result() == FROM_HUB[2]


async def test_a_message_of_five_megabytes_arrives(line: Line) -> None:
    message = w.Do(id=CommandId("1"), command=w.Say(message=MessageId("m"), text="é" * 2_500_000))
    async with asyncio.TaskGroup() as tasks:
        received = tasks.create_task(w.read_from_hub(line.reader))
        await line.send(w.frame(message))
    assert received.result() == message


async def test_the_end_of_the_stream_is_none_even_in_the_middle_of_a_message(line: Line) -> None:
    await line.send(w.frame(FROM_HUB[0]) + w.frame(FROM_HUB[1])[:-1])
    line.sender.close()
    assert await w.read_from_hub(line.reader) == FROM_HUB[0]
    assert await w.read_from_hub(line.reader) is None
    assert await w.read_from_hub(line.reader) is None


async def test_a_frame_over_the_limit_is_refused_before_it_is_read(line: Line) -> None:
    await line.send(struct.pack(">I", w.LARGEST + 1))
    with pytest.raises(ConnectionError, match="over the limit"):
        await w.read_from_hub(line.reader)


async def test_a_message_that_makes_no_sense_is_an_error(line: Line) -> None:
    for body in (b'{"m":"dance"}', b"\xff\xfe", b'{"m":"do","id":"1","command":{"do":"fly"}}'):
        await line.send(struct.pack(">I", len(body)) + body)
        with pytest.raises(msgspec.DecodeError):
            await w.read_from_hub(line.reader)


async def test_a_field_of_a_newer_protocol_is_ignored(line: Line) -> None:
    body = b'{"m":"hello","protocol":2,"epoch":1,"acked":0,"colour":"red"}'
    await line.send(struct.pack(">I", len(body)) + body)
    assert await w.read_from_hub(line.reader) == w.Hello(protocol=2, epoch=1, acked=0)


@given(any_event)
def test_an_event_passes_through_items_byte_for_byte(event: e.AnyEvent) -> None:
    body = e.encode(event)
    items = w.Items(first=1, events=(msgspec.Raw(body),))
    received = msgspec.json.decode(w.frame(items)[4:], type=w.AnyFromKeeper)
    assert isinstance(received, w.Items)
    assert bytes(received.events[0]) == body
    assert e.decode(received.events[0]) == event
