"""The hub's end of keepers' sockets: items in and acknowledged, commands out and answered; all the
living connections, and the nursery that new keepers come from."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from manyhands.agents.catalogue import agent_config
from manyhands.errors import BadInput
from manyhands.hub.core import Feed, Hub
from manyhands.hub.core.faults import Pauses
from manyhands.hub.fleet.intake import Intake
from manyhands.keeper.claim import answering
from manyhands.keeper.nursery import Nursery
from manyhands.model import wire
from manyhands.model.clock import monotonic
from manyhands.model.ids import CommandId, SessionId, fresh_id
from manyhands.model.live import AnyLive, Patched

log = logging.getLogger(__name__)
CONNECT_SECONDS = 5.0
PULSE_SECONDS = 5.0
"""How often a keeper is asked for a sign of life, and how long it may take to give one."""
MOST_BYTES = 64 * 1024
MOST_ARRIVED = 64
"""Frames read ahead of the store; a keeper puts at most a megabyte of events into one."""

Arrived = list[wire.AnyFromKeeper | Exception]
"""An exception is the end of the stream."""


class Fenced(ConnectionError):
    """The keeper that answered is of another epoch than the one we recorded."""


class KeeperLink(asyncio.Protocol):
    """One connection. `run` ends when the keeper goes away; commands then fail."""

    def __init__(
        self,
        session: SessionId,
        epoch: int,
        *,
        ingest: Callable[[wire.Items], Awaitable[int]],
        live: Callable[[Sequence[AnyLive]], None],
        is_keeper: Callable[[int], bool] = lambda pid: True,
    ) -> None:
        """`is_keeper`: whether a process is the session's keeper, and no other's."""
        self.session = session
        self.epoch = epoch
        self.pid = 0
        self.can: tuple[str, ...] = ()
        self.sent: dict[str, wire.AnyCommand] = {}
        self._ingest = ingest
        self._live = live
        self._is_keeper = is_keeper
        self._answers: dict[CommandId, asyncio.Future[str]] = {}
        self._stream = wire.KeeperStream()
        self._arrived: Arrived = []
        self._there = asyncio.Event()
        self._reading = False
        self._intake: Intake
        self._socket: int
        self._transport: asyncio.Transport

    async def connect(self, intake: Intake, path: Path, acked: int) -> None:
        """Raises `OSError` where nothing answers, `Fenced` where a stranger does."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(CONNECT_SECONDS):
            self._transport, _ = await loop.create_unix_connection(lambda: self, str(path))
            self._transport.pause_reading()  # it only writes, the intake reads
            link = self._transport.get_extra_info("socket")
            self._intake, self._socket, self.pid = intake, link.fileno(), answering(link)
            try:
                if self.pid and not self._is_keeper(self.pid):
                    raise Fenced(f"process {self.pid} answers at the keeper's socket")
                await self._introduce(acked)
            except BaseException:
                self.close()
                raise

    async def _introduce(self, acked: int) -> None:
        self._read_on()
        hello = wire.Hello(protocol=wire.PROTOCOL, epoch=self.epoch, acked=acked)
        self._transport.write(wire.frame(hello))
        await self._there.wait()
        welcome = self._arrived.pop(0)
        if not isinstance(welcome, wire.Welcome):
            raise ConnectionError("the keeper did not introduce itself")
        if (welcome.session, welcome.epoch) != (self.session, self.epoch):
            raise Fenced(f"found epoch {welcome.epoch} of {welcome.session}, not {self.epoch}")
        self.pid = self.pid or welcome.pid
        self.can = welcome.can
        self._live(welcome.live)

    @property
    def has_parts(self) -> bool:
        """One of an earlier version ends the connection over a command that it does not know."""
        return wire.PARTS in self.can

    @property
    def can_take(self) -> bool:
        return wire.TAKES in self.can

    async def run(self) -> None:
        """Reads ahead while a commit is on its way, so that the next one takes all that came."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._feel_pulse())
                await self._heed()
        except* OSError as errors:
            log.info("keeper of %s: %s", self.session, errors.exceptions[0])
        finally:
            self.close()

    def _read_on(self) -> None:
        if not self._reading and not self._transport.is_closing():
            self._reading = True
            self._intake.add(self._socket, self._read)

    def _read_no_more(self) -> None:
        if self._reading:
            self._reading = False
            self._intake.remove(self._socket)

    def _read(self) -> int:
        """Take what is there; how many messages it was."""
        try:
            data = os.read(self._socket, MOST_BYTES)
            if not data:
                raise ConnectionResetError("it went away")
            found = self._stream.feed(data)
        except BlockingIOError:
            return 0
        except Exception as error:  # noqa: BLE001 - it is for whoever heeds the stream
            self._transport.close()
            self.connection_lost(error)
            return 0
        if found:
            self._arrived += found
            self._there.set()
            if len(self._arrived) > MOST_ARRIVED:
                self._read_no_more()
        return len(found)

    def connection_lost(self, exc: Exception | None) -> None:
        self._read_no_more()
        self._arrived.append(exc or ConnectionResetError("it was let go of"))
        self._there.set()

    async def _heed(self) -> None:
        while True:
            for message in _joined(await self._all_that_arrived()):
                match message:
                    case wire.Items():
                        upto = await self._ingest(message)
                        self._transport.write(wire.frame(wire.Ack(upto=upto)))
                    case wire.Live():
                        self._live(message.frames)
                    case wire.Done():
                        self._settle(message)
                    case Exception():
                        raise message
            self._read_on()

    async def _all_that_arrived(self) -> Arrived:
        """Everything; waits for at least one message."""
        while not self._arrived:
            self._there.clear()
            await self._there.wait()
        arrived, self._arrived = self._arrived, []
        return arrived

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
        if self._transport.is_closing():
            raise ConnectionError("the keeper went away")
        key = CommandId(id)
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._answers[key] = answer
        self._transport.write(wire.frame(wire.Do(id=key, command=command)))
        return await answer

    def close(self) -> None:
        self._read_no_more()
        self._transport.close()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(ConnectionError("the keeper went away"))
                answer.exception()
        self._answers.clear()


def _joined(messages: Arrived) -> Arrived:
    """In the same order, with events that follow each other in one."""
    joined: Arrived = []
    for message in messages:
        last = joined[-1] if joined else None
        if isinstance(message, wire.Items) and isinstance(last, wire.Items):
            joined[-1] = wire.Items(first=last.first, events=last.events + message.events)
        else:
            joined.append(message)
    return joined


class Links:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.nursery = Nursery(hub.home.logs / "nursery.log", likely=lambda: _kinds_in_use(hub))
        self.live: dict[SessionId, KeeperLink] = {}
        self._pauses: dict[SessionId, Pauses] = {}
        self.on_gone: Callable[[SessionId], None] = lambda session: None
        self.on_patched: Callable[[Patched], None] = lambda frame: None

    def hear(self, frames: Iterable[AnyLive]) -> None:
        """What is said is for everybody, a patch for those who look."""
        for frame in frames:
            if isinstance(frame, Patched):
                self.on_patched(frame)
            else:
                self._hub.part(Feed).live([frame])

    def hold(self, link: KeeperLink) -> None:
        """Keep a fresh connection and read from it until its keeper is gone."""
        self.live[link.session] = link
        self._hub.waiters.check()
        self._hub.spawn(self._follow(link))

    async def close(self) -> None:
        """Let go of everything; keepers go on by themselves."""
        for link in self.live.values():
            link.close()
        self._hub.part(Intake).close()
        await self.nursery.close()

    async def _follow(self, link: KeeperLink) -> None:
        where, began = words_of(link.session), monotonic()
        try:
            await link.run()
        except Exception as error:  # noqa: BLE001 - it is noted
            self._hub.faults.note(where, error)
            pauses = self._pauses.setdefault(link.session, Pauses())
            # It would tell the same again at once.
            await asyncio.sleep(pauses.after(monotonic() - began))
        else:
            self._pauses.pop(link.session, None)
        finally:
            if self.live.get(link.session) is link:
                del self.live[link.session]
                self._hub.part(Feed).forget(link.session)
                self.on_gone(link.session)


def words_of(session: SessionId) -> str:
    return f"what the keeper of {session} tells"


def _kinds_in_use(hub: Hub) -> Iterator[str]:
    """Of the agents that are asked for next, in all likelihood."""
    with suppress(BadInput):  # no agent of that name, which is told where one is asked for
        yield agent_config(hub.settings.defaults.agent, hub.settings).kind
    for s in hub.state.sessions.values():
        yield s.main.kind
