"""kill -9 at random moments: nothing that was acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from manyhands.model.ids import SessionId
from manyhands.store import Store

PROCESS = Path(__file__).with_name("writing_process.py")


@dataclass
class Told:
    """What the killed processes said before they died."""

    acked: dict[str, int] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)

    def hear(self, line: str) -> None:
        match line.split():
            case ["acked", session, upto] if line.endswith("\n"):
                self.acked[session] = int(upto)
            case ["done", number, _] if line.endswith("\n"):
                self.done.add(int(number))


@dataclass
class Writers:
    """Where processes that write come from, one after the other."""

    process: subprocess.Popen[str]

    def run_and_kill(self, path: Path, start: int, lines: int, told: Told) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        out = self.process.stdout
        self.process.stdin.write(f"{json.dumps([str(path), start])}\n")
        self.process.stdin.flush()
        born, pid = out.readline().split()
        assert born == "born"
        for _ in range(lines):
            told.hear(out.readline())
        os.kill(int(pid), signal.SIGKILL)
        # What was printed before the kill and not yet read was told as well.
        for line in out:
            if line.startswith("ended"):
                assert line == "ended -9\n"
                return
            told.hear(line)
        raise AssertionError("nobody said how it ended")


@pytest.fixture
def writers() -> Iterator[Writers]:
    with subprocess.Popen(
        [sys.executable, str(PROCESS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Writers(process)


async def require_exactly_once(path: Path, told: Told) -> None:
    store = Store.open(path)
    said: dict[str, list[int]] = defaultdict(list)
    taken: dict[str, int] = defaultdict(int)
    seqs: list[int] = []
    while page := await store.events(seqs[-1] if seqs else 0):
        for seq, body in page:
            seqs.append(seq)
            event = msgspec.json.decode(body)
            if event["type"] == "note_made":
                session, count = event["text"].split()
                taken[session] += int(count)
            else:
                said[event["session"]].append(int(event["text"]))
    assert seqs == list(range(1, store.last_seq + 1))
    commands = said.pop("user")
    assert len(commands) == len(set(commands))
    assert told.done <= set(commands)
    for session, numbers in said.items():
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) == taken[session] == await store.acked(SessionId(session), 1)
        assert len(numbers) >= told.acked[session]
        assert store.state.sessions[SessionId(session)].main.steps == len(numbers)
    await store.close()


async def rounds(writers: Writers, path: Path, count: int) -> None:
    chance = random.Random(count)
    told = Told()
    for number in range(1, count + 1):
        writers.run_and_kill(path, number * 1_000_000, chance.randrange(5, 120), told)
        # All of the log is read: what a kill lost or doubled is as lost some kills later.
        if number % 4 == 0:
            await require_exactly_once(path, told)
    assert len(told.done) > count


@pytest.mark.brief
async def test_eight_kills_lose_nothing_and_double_nothing(path: Path, writers: Writers) -> None:
    await rounds(writers, path, 8)


@pytest.mark.torture
@pytest.mark.timeout(1200)
async def test_a_hundred_kills_lose_nothing_and_double_nothing(
    path: Path, writers: Writers
) -> None:
    await rounds(writers, path, 100)
