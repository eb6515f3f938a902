"""The connection to the hub: one at a time, resumed where the last one ended.

A hub says `Hello`; the keeper answers `Welcome` and sends from the number after `acked`.
Events, answers to commands and live text leave in that order in one stream, so a `Done`
follows the events that its command caused; a patch leaves before the event that tells of it.
While one send drains the next one gathers.
A newer connection takes over from an older; commands go on without either.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.keeper.outbox import Outbox
from manyhands.model import wire
from manyhands.model.ids import CommandId
from manyhands.process.peer import peer_pid

log = logging.getLogger(__name__)

BATCH_BYTES = 1024 * 1024
BREATH = 0.005
"""Seconds between two sends: a burst becomes a few frames, a lone event leaves at once."""
REMEMBERED = 1000

Perform = Callable[[wire.AnyCommand], Awaitable[None]]
Stream = Callable[[wire.AnyStream, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class HubLink:
    def __init__(
        self,
        outbox: Outbox,
        epoch: int,
        tasks: asyncio.TaskGroup,
        perform: Perform,
        *,
        admits: Callable[[int], bool],
        wake: Callable[[], None],
        fenced: Callable[[], None],
        deserted: Callable[[], None],
    ) -> None:
        """`admits`: whether a process may speak to us; `wake`: a command is over; `fenced`: a
        newer epoch is known; `deserted`: no hub is connected any more."""
        self._outbox = outbox
        self._epoch = epoch
        self._tasks = tasks
        self._perform = perform
        self._admits = admits
        self._wake = wake
        self._fenced = fenced
        self._deserted = deserted
        self.stream: Stream | None = None
        """Serves another kind of connection, which ends with it."""
        self._connection: _Connection | None = None
        self._running: set[CommandId] = set()
        self._done: OrderedDict[CommandId, str] = OrderedDict()

    @property
    def busy(self) -> bool:
        return bool(self._running)

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.create_task(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            pid = peer_pid(writer.get_extra_info("socket"))
            if not self._admits(pid):
                log.warning("process %d is not the hub, and was turned away", pid)
                return
            hello = await wire.read_from_hub(reader)
            if isinstance(hello, wire.Hello) and self._greet(hello, writer):
                await self._attend(hello, reader, writer)
            elif isinstance(hello, wire.View | wire.Run):
                await self._serve_stream(hello, reader, writer)
        except (OSError, msgspec.MsgspecError) as error:
            log.warning("the hub's connection ended: %s", error)
        finally:
            writer.close()

    async def _serve_stream(
        self, asked: wire.AnyStream, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self.stream is not None and asked.epoch == self._epoch:
            await self.stream(asked, reader, writer)

    def _greet(self, hello: wire.Hello, writer: asyncio.StreamWriter) -> bool:
        """Say who we are; True where this hub is the one to talk to."""
        welcome = wire.Welcome(
            protocol=wire.PROTOCOL,
            session=self._outbox.session,
            epoch=self._epoch,
            pid=os.getpid(),
            can=(wire.PARTS, wire.TAKES),
            live=self._outbox.saying.so_far(),
        )
        writer.write(wire.frame(welcome))
        if hello.epoch > self._epoch:
            log.warning("epoch %d is fenced off by %d", self._epoch, hello.epoch)
            self._fenced()
        return hello.epoch == self._epoch

    async def _attend(
        self, hello: wire.Hello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self._connection:
            self._connection.close()
        self._outbox.ack(hello.acked)
        sent = min(hello.acked, self._outbox.spool.last)
        mine = self._connection = _Connection(self._outbox, writer, sent)
        pump = self._tasks.create_task(mine.pump())
        try:
            while (message := await wire.read_from_hub(reader)) is not None:
                self._heed(message)
        finally:
            pump.cancel()
            if self._connection is mine:
                self._connection = None
                self._deserted()

    def _heed(self, message: wire.AnyFromHub) -> None:
        match message:
            case wire.Ack():
                self._outbox.ack(message.upto)
            case wire.Do() if message.id in self._done:
                self._answer(message.id)
            case wire.Do() if message.id not in self._running:
                self._running.add(message.id)
                self._tasks.create_task(self._do(message))

    async def _do(self, message: wire.Do) -> None:
        error = ""
        try:
            await self._perform(message.command)
        except ManyhandsError as problem:
            error = problem.message
        except Exception as problem:
            log.exception("%s failed", type(message.command).__name__)
            error = f"{type(problem).__name__}: {problem}"
        finally:
            self._running.discard(message.id)
            stirs = not isinstance(message.command, wire.Look)
            (self._outbox.stir if stirs else self._wake)()
        self._done[message.id] = error
        if len(self._done) > REMEMBERED:
            self._done.popitem(last=False)
        self._answer(message.id)

    def _answer(self, id: CommandId) -> None:
        if self._connection:
            self._connection.answers.append(wire.Done(id=id, error=self._done[id]))
            self._outbox.news.set()

    async def finish(self, seconds: float) -> None:
        """Let the hub have what there is to tell, if it takes it in time."""
        if self._connection:
            try:
                async with asyncio.timeout(seconds):
                    await self._connection.finish()
            except (TimeoutError, OSError):
                log.info("the hub was too slow; the spool keeps the rest")

    def close(self) -> None:
        if self._connection:
            self._connection.close()


class _Connection:
    """What one hub has been sent."""

    def __init__(self, outbox: Outbox, writer: asyncio.StreamWriter, sent: int) -> None:
        self._outbox = outbox
        self._writer = writer
        self._sent = sent
        self.answers: list[wire.Done] = []
        self._idle = asyncio.Event()

    async def pump(self) -> None:
        try:
            while True:
                self._outbox.news.clear()
                await self._send_events()
                await self._send_rest()
                if not self._outbox.news.is_set():
                    self._idle.set()
                await asyncio.sleep(BREATH)
                await self._outbox.news.wait()
        except OSError as error:
            log.info("the hub reads no more: %s", error)

    async def _send_events(self) -> None:
        while bodies := await self._next():
            first = max(self._sent, self._outbox.spool.base) + 1
            events = tuple(msgspec.Raw(body) for body in bodies)
            self._sent = first + len(bodies) - 1
            await self._send(wire.Items(first=first, events=events))

    async def _next(self) -> list[bytes]:
        """The next events, once the patches that they speak of are sent."""
        patches = self._outbox.patches.unseen()
        bodies = self._outbox.spool.after(self._sent, limit=BATCH_BYTES)
        for patch in patches:
            stamped = msgspec.structs.replace(patch, session=self._outbox.session)
            await self._send(wire.Live(frames=(stamped,)))
        return bodies

    async def _send_rest(self) -> None:
        answers, self.answers = self.answers, []
        for answer in answers:
            await self._send(answer)
        if frames := self._outbox.saying.unseen():
            await self._send(wire.Live(frames=frames))

    async def _send(self, message: wire.AnyFromKeeper) -> None:
        self._writer.write(wire.frame(message))
        await self._writer.drain()

    async def finish(self) -> None:
        """Send everything there is, down to the last buffered byte."""
        self._idle.clear()
        self._outbox.news.set()
        await self._idle.wait()
        self._writer.close()
        await self._writer.wait_closed()

    def close(self) -> None:
        self._writer.transport.abort()
