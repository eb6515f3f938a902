"""Plays readers: WebSocket subscribers that keep every frame and the moment it came.

Nothing is decoded before the end, so that watching costs the machine as little as it can.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections import defaultdict
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from bench.figures import percentile, spread
from bench.stream import LARGEST
from manyhands import config
from manyhands.client.address import require_address, require_token

LAST_SECONDS = 60.0
MARK = b'"type":"agent_message"'


class Seen(msgspec.Struct):
    seq: int
    type: str
    session: str = ""
    text: str = ""


class Reader:
    def __init__(self, socket: ClientConnection) -> None:
        self.frames: list[tuple[float, bytes]] = []
        self.count = 0
        self.expected = -1
        self.complete = asyncio.Event()
        self._socket = socket

    async def read(self) -> None:
        while True:
            frame = await self._socket.recv(decode=False)
            self.frames.append((time.monotonic(), frame))
            self.count += frame.count(MARK)
            self.look()

    def look(self) -> None:
        if self.count == self.expected:
            self.complete.set()


class Findings:
    def __init__(self) -> None:
        self.sent: list[float] = []
        self.made: list[float] = []
        self.by_second: dict[int, list[float]] = defaultdict(list)
        self.last_seq = 0

    def add(self, reader: Reader) -> dict[str, int]:
        """Check one reader's events: numbers rise, and each keeper's come one by one."""
        decoder = msgspec.json.Decoder(list[Seen])
        last: dict[str, int] = defaultdict(int)
        events = doubled = seq = 0
        for at, frame in reader.frames:
            for seen in decoder.decode(frame):
                doubled += seen.seq <= seq
                seq = seen.seq
                if seen.type != "agent_message":
                    continue
                number, made, sent, _ = seen.text.split(" ", 3)
                doubled += int(number) != last[seen.session] + 1
                last[seen.session] = int(number)
                events += 1
                self._note(at, float(made), float(sent))
        self.last_seq = max(self.last_seq, seq)
        return {"events": events, "doubled": doubled, "frames": len(reader.frames)}

    def _note(self, at: float, made: float, sent: float) -> None:
        self.made.append((at - made) * 1000)
        self.sent.append((at - sent) * 1000)
        self.by_second[int(sent)].append((at - sent) * 1000)


async def main(count: int) -> None:
    home = config.home()
    uri = f"ws://127.0.0.1:{require_address(home).port}/api/events"
    headers = {"Authorization": f"Bearer {require_token(home)}"}
    sockets = [
        await connect(
            uri, additional_headers=headers, max_size=LARGEST, proxy=None, compression=None
        )
        for _ in range(count)
    ]
    readers = [Reader(socket) for socket in sockets]
    async with asyncio.TaskGroup() as tasks:
        reading = [tasks.create_task(reader.read()) for reader in readers]
        print(json.dumps({"connected": count}), flush=True)
        gc.freeze()
        gc.disable()
        expected = json.loads(await asyncio.to_thread(sys.stdin.readline))["expect"]
        await _complete(readers, expected)
        for task in reading:
            task.cancel()
    print(json.dumps(_told(readers)), flush=True)


async def _complete(readers: list[Reader], expected: int) -> None:
    for reader in readers:
        reader.expected = expected
        reader.look()
    try:
        async with asyncio.timeout(LAST_SECONDS):
            await asyncio.gather(*(reader.complete.wait() for reader in readers))
    except TimeoutError:
        pass  # what is missing is counted as lost


def _told(readers: list[Reader]) -> dict[str, Any]:
    findings = Findings()
    checked = [findings.add(reader) for reader in readers]
    return {
        "readers": checked,
        "frames": sum(c["frames"] for c in checked),
        "last_seq": findings.last_seq,
        "sent": spread(findings.sent),
        "made": spread(findings.made),
        "p99_by_second": [
            round(percentile(samples, 0.99)) for _, samples in sorted(findings.by_second.items())
        ],
        "histogram_ms": _histogram(findings.sent),
    }


def _histogram(samples: list[float]) -> dict[int, int]:
    counts: dict[int, int] = defaultdict(int)
    for sample in samples:
        counts[int(sample)] += 1
    return dict(sorted(counts.items()))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
