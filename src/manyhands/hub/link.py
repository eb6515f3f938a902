"""The hub's end of one keeper's socket: items in and acknowledged, commands out and answered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from manyhands.model import wire
from manyhands.model.ids import CommandId, SessionId, fresh_id
from manyhands.model.live import AnyLive

log = logging.getLogger(__name__)
CONNECT_SECONDS = 5.0
PULSE_SECONDS = 5.0
"""How often a keeper is asked for a sign of life, and how long it may take to give one."""
MOST_ARRIVED = 64
"""Frames read ahead of the store; a keeper puts at most a megabyte of events into one."""

Arrived = asyncio.Queue[wire.AnyFromKeeper | None]
"""None is the end of the stream."""


class Fenced(ConnectionError):
    """The keeper that answered is of another epoch than the one we recorded."""


class Link:
    """One connection. `run` ends when the keeper goes away; commands then fail."""

    def __init__(
        self,
        session: SessionId,
        epoch: int,
        *,
        ingest: Callable[[wire.Items], Awaitable[int]],
        live: Callable[[Sequence[AnyLive]], None],
    ) -> None:
        self.session = session
        self.epoch = epoch
        self.pid = 0
        self.sent: dict[str, object] = {}
        self._ingest = ingest
        self._live = live
        self._answers: dict[CommandId, asyncio.Future[str]] = {}
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def connect(self, path: Path, acked: int) -> None:
        """Raises `OSError` where nothing answers, `Fenced` where a stranger does."""
        async with asyncio.timeout(CONNECT_SECONDS):
            self._reader, self._writer = await asyncio.open_unix_connection(
                str(path), limit=1024 * 1024
            )
            hello = wire.Hello(protocol=wire.PROTOCOL, epoch=self.epoch, acked=acked)
            self._writer.write(wire.frame(hello))
            welcome = await wire.read_from_keeper(self._reader)
        if not isinstance(welcome, wire.Welcome):
            raise ConnectionError("the keeper did not introduce itself")
        if (welcome.session, welcome.epoch) != (self.session, self.epoch):
            self.close()
            raise Fenced(f"found epoch {welcome.epoch} of {welcome.session}, not {self.epoch}")
        self.pid = welcome.pid
        self._live(welcome.live)

    async def run(self) -> None:
        """Reads ahead while a commit is on its way, so that the next one takes all that came."""
        arrived: Arrived = asyncio.Queue(MOST_ARRIVED)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._read(arrived))
                pulse = tasks.create_task(self._feel_pulse())
                await self._heed(arrived)
                pulse.cancel()
        except* OSError as errors:
            log.info("keeper of %s: %s", self.session, errors.exceptions[0])
        finally:
            self.close()

    async def _read(self, arrived: Arrived) -> None:
        while message := await wire.read_from_keeper(self._reader):
            await arrived.put(message)
        await arrived.put(None)

    async def _heed(self, arrived: Arrived) -> None:
        while True:
            for message in _joined(await _all_of(arrived)):
                match message:
                    case wire.Items():
                        upto = await self._ingest(message)
                        self._writer.write(wire.frame(wire.Ack(upto=upto)))
                    case wire.Live():
                        self._live(message.frames)
                    case wire.Done():
                        self._settle(message)
                    case None:
                        return

    async def _feel_pulse(self) -> None:
        """A keeper that hangs keeps its socket open: let go of one that answers nothing."""
        while True:
            await asyncio.sleep(PULSE_SECONDS)
            known = self.sent.get("look")
            if isinstance(known, wire.Look):
                async with asyncio.timeout(PULSE_SECONDS):
                    await self.do(fresh_id(12), known)

    def _settle(self, done: wire.Done) -> None:
        answer = self._answers.pop(done.id, None)
        if answer is not None and not answer.done():
            answer.set_result(done.error)

    async def do(self, id: str, command: wire.AnyCommand) -> str:
        """The keeper's answer, "" for success; `ConnectionError` where it goes away first."""
        if self._writer.is_closing():
            raise ConnectionError("the keeper went away")
        key = CommandId(id)
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._answers[key] = answer
        self._writer.write(wire.frame(wire.Do(id=key, command=command)))
        return await answer

    def close(self) -> None:
        self._writer.close()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(ConnectionError("the keeper went away"))
                answer.exception()
        self._answers.clear()


async def _all_of(arrived: Arrived) -> list[wire.AnyFromKeeper | None]:
    """Everything that has arrived; waits for at least one message."""
    taken = [await arrived.get()]
    while not arrived.empty():
        taken.append(arrived.get_nowait())
    return taken


def _joined(messages: list[wire.AnyFromKeeper | None]) -> list[wire.AnyFromKeeper | None]:
    """In the same order, with events that follow each other in one."""
    joined: list[wire.AnyFromKeeper | None] = []
    for message in messages:
        last = joined[-1] if joined else None
        if isinstance(message, wire.Items) and isinstance(last, wire.Items):
            joined[-1] = wire.Items(first=last.first, events=last.events + message.events)
        else:
            joined.append(message)
    return joined
