"""Plays keepers: real locks and sockets, the keepers' protocol, a steady stream of events.

Each keeper makes events at its rate and gathers them for as long as a real one breathes
between two sends.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from typing import Any

import msgspec
from filelock import FileLock

from manyhands import config
from manyhands.keeper.link import BREATH
from manyhands.model import wire
from manyhands.model.clock import now
from manyhands.model.ids import SessionId

SIZE = 300
COMMANDS_AT_START = 4
LAST_SECONDS = 60.0


class Keeper:
    def __init__(self, session: SessionId, rate: float) -> None:
        self.session = session
        self.sent = self.acked = self.frames = 0
        self.adopted = asyncio.Event()
        self.drained = asyncio.Event()
        self._done = 0
        self._interval = 1 / rate
        self._due = 0.0
        self._writer: asyncio.StreamWriter

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        while message := await wire.read_from_hub(reader):
            match message:
                case wire.Hello():
                    self._send(self._welcome(message.epoch))
                case wire.Do():
                    self._send(wire.Done(id=message.id))
                    self._done += 1
                    if self._done == COMMANDS_AT_START:
                        self.adopted.set()
                case wire.Ack():
                    self.acked = message.upto
                    if self.acked == self.sent:
                        self.drained.set()

    def _welcome(self, epoch: int) -> wire.Welcome:
        return wire.Welcome(
            protocol=wire.PROTOCOL, session=self.session, epoch=epoch, pid=os.getpid()
        )

    def _send(self, message: wire.AnyFromKeeper) -> None:
        self._writer.write(wire.frame(message))

    def begin(self, at: float) -> None:
        self._due = at

    def send_due(self, until: float, at: str) -> None:
        """One frame with everything made since the last."""
        events: list[msgspec.Raw] = []
        first = self.sent + 1
        sent = time.monotonic()
        while self._due <= until:
            self.sent += 1
            events.append(msgspec.Raw(self.event(at, self._due, sent)))
            self._due += self._interval
        if events:
            self.drained.clear()
            self.frames += 1
            self._send(wire.Items(first=first, events=tuple(events)))

    def event(self, at: str, made: float, sent: float) -> bytes:
        head = (
            f'{{"type":"agent_message","session":"{self.session}","at":"{at}","turn":1,'
            f'"message":"m{self.sent}","text":"{self.sent} {made:.6f} {sent:.6f} '
        )
        return (head + "x" * (SIZE - len(head) - 2) + '"}').encode()


async def main(kind: type[Keeper] = Keeper) -> None:
    home = config.home()
    order = await _order()
    keepers = [kind(SessionId(session), order["rate"]) for session in order["sessions"]]
    locks = [FileLock(home.keeper_lock(keeper.session), mode=0o600) for keeper in keepers]
    for lock in locks:
        lock.acquire(timeout=0)
    for keeper in keepers:
        path = str(home.keeper_socket(keeper.session))
        await asyncio.start_unix_server(keeper.serve, path, limit=2**20)
    _say(listening=len(keepers))
    async with asyncio.timeout(LAST_SECONDS):
        await asyncio.gather(*(keeper.adopted.wait() for keeper in keepers))
    _say(adopted=len(keepers))
    gc.freeze()
    gc.disable()
    seconds = (await _order())["seconds"]
    began = time.monotonic()
    late = await _stream(keepers, seconds)
    async with asyncio.timeout(LAST_SECONDS):
        await asyncio.gather(*(keeper.drained.wait() for keeper in keepers))
    _say(
        sent=sum(keeper.sent for keeper in keepers),
        frames=sum(keeper.frames for keeper in keepers),
        seconds=time.monotonic() - began,
        late_ms=late * 1000,
        bytes=SIZE,
    )
    await _order()


async def _stream(keepers: list[Keeper], seconds: float) -> float:
    """Send in turns, so that the keepers do not all speak at the same moment; the worst delay."""
    began = time.monotonic() + 0.05
    for keeper in keepers:
        keeper.begin(began)
    step = BREATH / len(keepers)
    turn = 0
    late = 0.0
    while (due := began + turn * step) < began + seconds:
        if (pause := due - time.monotonic()) > 0:
            await asyncio.sleep(pause)
        else:
            late = max(late, -pause)
        at = now()
        while due <= time.monotonic() and due < began + seconds:
            keepers[turn % len(keepers)].send_due(due, at)
            turn += 1
            due = began + turn * step
    for keeper in keepers:
        keeper.send_due(began + seconds - 1e-9, now())
    return late


async def _order() -> dict[str, Any]:
    line = await asyncio.to_thread(sys.stdin.readline)
    return json.loads(line) if line else {}


def _say(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
