"""The proxy by itself, on the loopback: streams both ways, waiting for an answer, and floods."""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from manyhands.box.network.hosts import HostPort
from manyhands.box.network.listening import Acceptor, Room
from manyhands.box.network.proxy import Decide, Proxy, Verdict
from tests.box.network.test_hello import real_hello
from tests.support.boxed_network import Names, listed

PATIENCE = 120
ALERT = b"\x15\x03\x03\x00\x02\x02\x70"
Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def proxied(
    handle: Handle, decide: Decide | None = None, room: Room | None = None
) -> AsyncIterator[int]:
    """A proxy's port; behind it `a.test` is a server that does as it is told."""
    server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=4096, limit=2**20)
    names = Names({"a.test": server.sockets[0].getsockname()[1]})
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as tasks:
        proxy = Proxy(decide or listed("a.test"), names)
        listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        acceptor = Acceptor(listener, proxy.serve, room or Room(), tasks)
        async with server:
            try:
                yield acceptor.port
            finally:
                acceptor.close()


async def say(port: int, data: bytes, *, end: bool = False) -> bytes:
    """All that comes back for it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    if end:
        writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def read_head(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


def answering(seen: list[bytes]) -> Handle:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_head(reader))
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=9\r\n")
        writer.write(b"Content-Length: 2\r\n\r\nok")
        writer.close()

    return handle


async def test_an_answer_ends_the_connection_and_says_so() -> None:
    seen: list[bytes] = []
    async with proxied(answering(seen)) as port:
        answer = await say(port, b"GET http://a.test/x HTTP/1.1\r\nHost: b.test\r\nTE: x\r\n\r\n")
    assert answer == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
    assert seen == [b"GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"]


async def test_a_second_request_on_the_same_connection_goes_nowhere() -> None:
    """It would reach a host that nobody has judged."""
    got, over = bytearray(), asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.extend(await reader.readuntil(b"abc"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.write_eof()
        got.extend(await reader.read())
        writer.close()
        over.set()

    first = b"POST http://a.test/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
    async with proxied(handle) as port:
        await say(port, first + b"GET / HTTP/1.1\r\nHost: hidden.test\r\n\r\n", end=True)
        await over.wait()
    assert got.endswith(b"\r\n\r\nabc")
    assert b"hidden" not in got


async def test_a_body_in_chunks_is_passed_on_as_it_comes() -> None:
    got = asyncio.Queue[bytes]()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        got.put_nowait(await reader.readuntil(b"one\r\n"))
        got.put_nowait(await reader.readuntil(b"0\r\nX: y\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\ndone")
        writer.close()

    async with proxied(handle) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            b"PUT http://a.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"
        )
        assert await got.get() == b"3\r\none\r\n"
        writer.write(b"4;ext=1\r\ntwo!\r\n0\r\nX: y\r\n\r\n")
        assert await got.get() == b"4;ext=1\r\ntwo!\r\n0\r\nX: y\r\n\r\n"
        assert (await reader.read()).endswith(b"\r\n\r\ndone")
        writer.close()


async def test_a_program_that_waits_to_be_told_to_go_on_is_told() -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await reader.readexactly(3)
        writer.write(b"HTTP/1.1 201 Created\r\n\r\n" + body)
        writer.close()

    head = b"PUT http://a.test/ HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
    async with proxied(handle) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head)
        assert await read_head(reader) == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"abc")
        assert (await reader.read()).startswith(b"HTTP/1.1 201 Created\r\n")
        writer.close()


async def test_a_tunnel_is_half_closed_as_its_ends_are() -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = await reader.read()
        writer.write(said[::-1])
        writer.close()

    async with proxied(handle, listed("a.test:9000")) as port:
        answer = await say(port, b"CONNECT a.test:9000 HTTP/1.1\r\n\r\nabc", end=True)
    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\ncba"


async def test_a_request_within_a_tunnel_is_for_its_host_alone() -> None:
    seen: list[bytes] = []
    tunnel = b"CONNECT a.test:80 HTTP/1.1\r\n\r\n"
    async with proxied(answering(seen)) as port:
        honest = await say(port, tunnel + b"GET /x HTTP/1.1\r\nHost: A.test\r\n\r\n")
        hidden = await say(port, tunnel + b"GET /x HTTP/1.1\r\nHost: hidden.test\r\n\r\n")
        twice = b"GET /x HTTP/1.1\r\nHost: a.test\r\nHost: hidden.test\r\n\r\n"
        double = await say(port, tunnel + twice)
        other = await say(port, tunnel + b"SSH-2.0-x\r\n\r\n")
    assert honest.endswith(b"Connection: close\r\n\r\nok")
    assert seen == [b"GET /x HTTP/1.1\r\nHost: A.test\r\nConnection: close\r\n\r\n"]
    for refused in (hidden, double, other):
        assert b"\r\n\r\nHTTP/1.1 400 Bad request: " in refused


async def test_a_server_may_speak_first_where_it_is_not_the_web() -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 ready\r\n")
        writer.write(await reader.readline())
        writer.close()

    async with proxied(handle, listed("a.test:2525")) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"CONNECT a.test:2525 HTTP/1.1\r\n\r\n")
        await read_head(reader)
        assert await reader.readline() == b"220 ready\r\n"
        writer.write(b"HELO\r\n")
        assert await reader.read() == b"HELO\r\n"
        writer.close()


@pytest.mark.parametrize("port_asked", [443, 8443])
@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_hello_in_pieces_is_read_on_any_port(port_asked: int, size: int) -> None:
    got, over = bytearray(), asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.extend(await reader.read())
        writer.close()
        over.set()

    async with proxied(handle, listed("a.test", "a.test:8443")) as port:
        for name in ("a.test", "hidden.test"):
            got.clear()
            over.clear()
            sent = real_hello(name) + b"more"
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"CONNECT a.test:{port_asked} HTTP/1.1\r\n\r\n".encode())
            await read_head(reader)
            for at in range(0, len(sent), size):
                writer.write(sent[at : at + size])
                await asyncio.sleep(0)
            writer.write_eof()
            back = await reader.read()
            writer.close()
            await over.wait()
            assert (back, bytes(got)) == ((b"", sent) if name == "a.test" else (ALERT, b""))


async def test_a_stream_of_any_length_arrives_whole_both_ways() -> None:
    size = 30_000_000
    sent = bytes(range(256)) * (size // 256)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(2**16):
            writer.write(data)
            await writer.drain()
        writer.close()

    async with proxied(handle, listed("a.test:9000")) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"CONNECT a.test:9000 HTTP/1.1\r\n\r\n")
        await read_head(reader)

        async def send() -> None:
            for at in range(0, len(sent), 2**20):
                writer.write(sent[at : at + 2**20])
                await writer.drain()
            writer.write_eof()

        async with asyncio.TaskGroup() as both:
            both.create_task(send())
            back = both.create_task(reader.read())
        writer.close()
    assert back.result() == sent


async def test_a_reader_that_takes_its_time_is_not_read_ahead_for() -> None:
    """The kernel holds the sender back, and nothing of ours grows."""
    written = 0
    stuck = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.transport.set_write_buffer_limits(high=0)
        try:
            while True:
                writer.write(b"x" * 2**16)
                async with asyncio.timeout(1):
                    await writer.drain()
                written += 2**16
        except TimeoutError:
            stuck.set()
            writer.transport.abort()

    async with proxied(handle, listed("a.test:9000")) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**16)
        writer.write(b"CONNECT a.test:9000 HTTP/1.1\r\n\r\n")
        await read_head(reader)
        await stuck.wait()
        writer.close()
    # What the kernel holds on both ways, at most.
    assert written < 50_000_000


class Person:
    """Decides when the test does."""

    def __init__(self) -> None:
        self.asked = asyncio.Queue[HostPort]()
        self.answer: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self.left = asyncio.Event()

    async def decide(self, target: HostPort) -> Verdict:
        self.asked.put_nowait(target)
        try:
            return await asyncio.shield(self.answer)
        except asyncio.CancelledError:
            self.left.set()
            raise


async def test_a_call_waits_until_it_is_allowed() -> None:
    person, seen = Person(), list[bytes]()
    async with proxied(answering(seen), person.decide) as port, asyncio.TaskGroup() as calls:
        call = calls.create_task(say(port, b"GET http://a.test/ HTTP/1.1\r\n\r\n"))
        assert await person.asked.get() == HostPort("a.test", 80)
        assert seen == []
        person.answer.set_result(Verdict(True))
    assert call.result().endswith(b"ok")


async def test_what_was_said_while_a_call_waited_is_not_lost() -> None:
    person, got = Person(), bytearray()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.extend(await reader.readuntil(b"the end"))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()

    body = b"x" * 300_000 + b"the end"
    async with proxied(handle, person.decide) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST http://a.test/ HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body))
        await person.asked.get()
        writer.write(body)
        person.answer.set_result(Verdict(True))
        assert (await reader.read()).startswith(b"HTTP/1.1 200 OK")
        writer.close()
    assert got.endswith(b"\r\n\r\n" + body)


async def test_a_call_that_is_denied_gets_the_sentence() -> None:
    person = Person()
    person.answer.set_result(Verdict(False, sentence="This box may not reach a.test."))
    async with proxied(answering([]), person.decide) as port:
        answer = await say(port, b"CONNECT a.test:443 HTTP/1.1\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 403 This box may not reach a.test.\r\n")
    assert body == b"This box may not reach a.test.\n"


async def test_a_program_that_hangs_up_waits_no_longer() -> None:
    person, room = Person(), Room()
    async with proxied(answering([]), person.decide, room) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"CONNECT a.test:443 HTTP/1.1\r\n\r\n")
        await person.asked.get()
        writer.close()
        await person.left.wait()
    assert room.taken == 0


async def test_a_call_that_nobody_will_decide_about_is_let_go() -> None:
    async def decide(target: HostPort) -> Verdict:
        raise asyncio.CancelledError

    async with proxied(answering([]), decide) as port:
        assert await say(port, b"CONNECT a.test:443 HTTP/1.1\r\n\r\n") == b""


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        b"GET http://a.test/ HTTP/1.1\r\n folded\r\n\r\n",
        b"\x16\x03\x01\x00\x05hello\r\n\r\n",
        b"GET http://a.test/" + b"x" * 200_000,
    ],
)
async def test_what_is_no_request_is_refused(said: bytes) -> None:
    async with proxied(answering([])) as port:
        assert (await say(port, said)).startswith(b"HTTP/1.1 400 Bad request: ")


async def test_a_server_that_says_nothing_is_told_of() -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.close()

    async with proxied(handle) as port:
        answer = await say(port, b"GET http://a.test/ HTTP/1.1\r\n\r\n")
        unknown = await say(port, b"GET http://a.test:81/ HTTP/1.1\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 502 The server closed the connection")
    assert unknown.startswith(b"HTTP/1.1 403 ")


async def test_a_flood_is_served_in_turn_and_never_holds_more_than_its_share() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_384), hard))
    room, most, number = Room(200), 0, 2000

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal most
        most = max(most, room.taken)
        await read_head(reader)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nok")
        writer.close()

    try:
        async with proxied(handle, room=room) as port, asyncio.TaskGroup() as calls:
            request = b"GET http://a.test/ HTTP/1.1\r\n\r\n"
            made = [calls.create_task(say(port, request)) for _ in range(number)]
        assert all(call.result().endswith(b"ok") for call in made)
        assert 0 < most <= 200
        assert room.taken == 0
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
