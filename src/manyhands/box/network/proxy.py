"""The way out of a box by name: a proxy for CONNECT and for plain HTTP.

Each request is judged by the host that it names. What is not listed waits until a person has
decided, for ever; the program may hang up. A tunnel is for that very host: a hello of TLS, or a
request within, that names another one would reach somebody else behind the same server.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from manyhands.box.network import heads, hello
from manyhands.box.network.dialing import Unreachable
from manyhands.box.network.ends import (
    Overlong,
    SocketEnd,
    pump,
    pump_chunks,
    pump_exactly,
    splice,
    together,
)
from manyhands.box.network.hosts import HostPort, normal_host

HTTP_PORT, TLS_PORT = 80, 443
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
NOT_THAT_NAME = bytes((21, 3, 3, 0, 2, 2, 112))
"""How TLS says that a name is not served here: a client tells its user so."""
CLOSING_SECONDS = 2.0


@dataclass(frozen=True)
class Verdict:
    """Whether a box may go there; `private`: even if it is in a private network."""

    allowed: bool
    private: bool = False
    sentence: str = ""
    """Why not, for whoever asked."""


Decide = Callable[[HostPort], Awaitable[Verdict]]
Dial = Callable[[HostPort, bool], Awaitable[socket.socket]]


class Proxy:
    def __init__(self, decide: Decide, dial: Dial) -> None:
        self._decide = decide
        self._dial = dial

    async def serve(self, client: SocketEnd) -> None:
        """One request, or one tunnel; then the connection is over."""
        try:
            raw = await client.until(heads.END, heads.LONGEST_HEAD)
            if not raw.endswith(heads.END):
                return
            request = heads.parse_request(raw)
            length = None if request.is_tunnel else heads.body_length(request.head)
        except (heads.BadHead, Overlong) as error:
            await _refuse(client, 400, f"Bad request: {error}.")
            return
        verdict = await self._verdict(client, request.target)
        if verdict is None:
            return
        if not verdict.allowed:
            await _refuse(client, 403, verdict.sentence)
            return
        try:
            server = SocketEnd(await self._dial(request.target, verdict.private))
        except Unreachable as error:
            await _refuse(client, 403 if error.forbidden else 502, error.sentence)
            return
        try:
            if request.is_tunnel:
                await _tunnel(client, server, request.target)
            else:
                await _forward(client, server, request.head, length)
        finally:
            server.close()

    async def _verdict(self, client: SocketEnd, target: HostPort) -> Verdict | None:
        """None where the program has hung up, or there is nobody to decide any more."""
        found: list[Verdict] = []

        async def decide() -> None:
            try:
                found.append(await self._decide(target))
            finally:
                leaving.cancel()

        async def leave() -> None:
            await client.hung_up()
            deciding.cancel()

        async with asyncio.TaskGroup() as both:
            deciding = both.create_task(decide())
            leaving = both.create_task(leave())
        return found[0] if found else None


async def _tunnel(client: SocketEnd, server: SocketEnd, target: HostPort) -> None:
    await client.write(ESTABLISHED)
    if target.port == HTTP_PORT:
        await _plain_inside(client, server, target)
    elif target.port != TLS_PORT:
        # A server may speak first there: it is not waited for what the program says.
        await together(_checked(client, server, target), pump(server, client))
    elif await _asks_for(client, target):
        await splice(client, server)
    else:
        await _part(client, NOT_THAT_NAME)


async def _plain_inside(client: SocketEnd, server: SocketEnd, target: HostPort) -> None:
    """A request that some programs put into a tunnel: for the host that was judged, or not."""
    try:
        raw = await client.until(heads.END, heads.LONGEST_HEAD)
        if not raw.endswith(heads.END):
            return
        head = heads.parse_tunnelled(raw, target)
        length = heads.body_length(head)
    except (heads.BadHead, Overlong) as error:
        await _refuse(client, 400, f"Bad request: {error}.")
        return
    await _forward(client, server, head, length)


async def _checked(client: SocketEnd, server: SocketEnd, target: HostPort) -> None:
    first = await client.read()
    client.put_back(first)
    if first[:1] == bytes([hello.HANDSHAKE]) and not await _asks_for(client, target):
        await _part(client, NOT_THAT_NAME)
        raise ConnectionResetError("another name was asked for")
    await pump(client, server)


async def _asks_for(client: SocketEnd, target: HostPort) -> bool:
    """Whether the hello is for this host; what was read of it goes on to the server."""
    seen = b""
    try:
        while (message := hello.client_hello(seen)) is None:
            more = await client.read(hello.LONGEST_HELLO)
            if not more or len(seen) > 2 * hello.LONGEST_HELLO:
                return False
            seen += more
        name = hello.server_name(message)
        return normal_host(name) == target.host if name else target.is_address
    except ValueError:
        return False
    finally:
        client.put_back(seen)


async def _forward(
    client: SocketEnd, server: SocketEnd, head: heads.Head, length: int | None
) -> None:
    await server.write(head.encode())
    body = pump_chunks(client, server) if length is None else pump_exactly(client, server, length)
    # Nothing goes on after the body: it would be a request to a host that nobody has judged.
    await together(body, _answer(client, server))


async def _answer(client: SocketEnd, server: SocketEnd) -> None:
    """The answer in full; those before it (`100 Continue`) as they are."""
    while True:
        raw = await server.until(heads.END, heads.LONGEST_HEAD)
        if not raw.endswith(heads.END):
            await _refuse(client, 502, "The server closed the connection without an answer.")
            return
        head = heads.parse(raw)
        is_interim = heads.status_of(head) < 200
        await client.write(head.encode() if is_interim else heads.answered(head).encode())
        if not is_interim:
            break
    await pump(server, client)


async def _refuse(client: SocketEnd, status: int, sentence: str) -> None:
    await _part(client, heads.refusal(status, sentence))


async def _part(client: SocketEnd, last: bytes) -> None:
    """With last words. Closed while something is unread, the connection would be reset and they
    would be lost on their way."""
    await client.write(last)
    client.end()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(CLOSING_SECONDS):
            while await client.read():
                pass
