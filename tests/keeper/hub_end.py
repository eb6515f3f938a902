"""The hub's end of a keeper's socket, played over the real socket by the tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from manyhands.model import events, wire
from manyhands.model.ids import CommandId, fresh_id
from manyhands.model.live import AnyLive

PATIENCE = 120.0
E = TypeVar("E", bound=events.AnyEvent)


class HubEnd:
    """Collects what the keeper tells; `numbered` is every item by its number, each once."""

    def __init__(self, socket: str) -> None:
        self.socket = socket
        self.numbered: dict[int, events.Fact] = {}
        self.live: list[AnyLive] = []
        self.done: dict[str, str] = {}
        self.welcome: wire.Welcome | None = None
        self.ended = False
        self.acks = True
        self._news = asyncio.Event()
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    @property
    def events(self) -> list[events.Fact]:
        return [self.numbered[n] for n in sorted(self.numbered)]

    @property
    def types(self) -> list[str]:
        return [events.wire_name(type(event).__name__) for event in self.events]

    @property
    def last(self) -> int:
        return next(reversed(self.numbered), 0)  # they come in order, and may be many

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def connect(self, epoch: int = 1, acked: int | None = None, protocol: int = 1) -> None:
        reader, self._writer = await asyncio.open_unix_connection(self.socket)
        acked = self.last if acked is None else acked
        self._send(wire.Hello(protocol=protocol, epoch=epoch, acked=acked))
        self._stream = wire.KeeperStream()
        first, *more = await asyncio.wait_for(self._next(reader), PATIENCE)
        assert isinstance(first, wire.Welcome)
        self.welcome = first
        self.ended = False
        self._reading = asyncio.create_task(self._read(reader, more))

    def _send(self, message: wire.AnyFromHub) -> None:
        assert self._writer is not None
        self._writer.write(wire.frame(message))

    async def _next(self, reader: asyncio.StreamReader) -> list[wire.AnyFromKeeper]:
        """The messages that come next; none at the end of the stream."""
        while data := await reader.read(2**16):
            if found := self._stream.feed(data):
                return found
        return []

    async def _read(self, reader: asyncio.StreamReader, messages: list[wire.AnyFromKeeper]) -> None:
        try:
            while messages or (messages := await self._next(reader)):
                self._take(messages.pop(0))
                self._news.set()
        except ConnectionError:
            pass
        self.ended = True
        self._news.set()

    def _take(self, message: wire.AnyFromKeeper) -> None:
        match message:
            case wire.Items():
                for n, raw in enumerate(message.events, message.first):
                    assert n == self.last + 1, f"{n} after {self.last}: a gap or a double"
                    self.numbered[n] = events.decode(raw)
                if self.acks:
                    self._send(wire.Ack(upto=self.last))
            case wire.Live():
                self.live += message.frames
            case wire.Done():
                assert message.id not in self.done
                self.done[message.id] = message.error

    async def until(self, true: Callable[[], object]) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while not true():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"never came true; events: {self.types}, {self.done}") from None

    async def until_type(self, name: str, times: int = 1) -> None:
        await self.until(lambda: self.types.count(name) >= times)

    def tell(self, command: wire.AnyCommand, id: str = "") -> str:
        id = id or fresh_id()
        self._send(wire.Do(id=CommandId(id), command=command))
        return id

    async def do(self, command: wire.AnyCommand, id: str = "") -> str:
        """The keeper's answer to a command."""
        id = self.tell(command, id)
        await self.until(lambda: id in self.done)
        return self.done[id]

    async def drop(self) -> None:
        if self._writer and self._reading:
            self._reading.cancel()
            await asyncio.wait([self._reading])
            self._writer.transport.abort()
            await asyncio.sleep(0)
            self._writer = self._reading = None
