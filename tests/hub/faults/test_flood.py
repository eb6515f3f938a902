"""An agent that says far more than anybody can read: what it said is kept, memory does not grow
with it, and all others are served meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.driver import RunningHub, eventually, of_type
from tests.support.told_agent import call, configured, flood, piece, said, tell

MB = 1024 * 1024
MOST_GROWTH = 40 * MB
"""What a flood of any size may add to the memory of a process."""
OUTPUT = {"type": "content", "content": {"type": "text", "text": "a line of many\n" * 60}}
CALLS = (
    call("#", title="make", kind="execute", status="in_progress", rawInput={"command": "make #"}),
    piece("#", status="completed", content=[OUTPUT]),
)
WORDS = (said("[#] On and on it goes, without an end. " * 6),)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    hub = RunningHub(tmp_path / "hub")
    hub.configure(hub.home.config.read_text() + configured("told"))
    with hub as running:
        running.make_repo()
        yield running


def begin(hub: RunningHub, name: str) -> str:
    """A session that has had its first turn, so that all that grows once has grown."""
    id = hub.new(tell(said("I am here.")), agent="told", name=name)["id"]
    hub.wait_idle(id)
    return str(id)


def kept(hub: RunningHub) -> int:
    return sum(file.stat().st_size for file in hub.home.root.glob("store.db*"))


def be_answered(hub: RunningHub, calm: str, number: int) -> None:
    """A whole turn of another session."""
    hub.say(calm, tell(said(f"Round {number}.")))
    hub.wait_idle(calm)
    assert of_type(hub.events(calm), "agent_message")[-1]["text"] == f"Round {number}."


def told_numbers(hub: RunningHub, id: str) -> list[int]:
    """Of each round of a flood that came in, in order."""
    events = hub.events(id)
    begun = [e["call"] for e in of_type(events, "tool_called")]
    assert [e["call"] for e in of_type(events, "tool_finished")] == begun
    texts = "".join(e["text"] for e in of_type(events, "agent_message"))
    return [int(number) for number in begun or re.findall(r"\[(\d+)\]", texts)[::6]]


@pytest.mark.parametrize(("steps", "size"), [(CALLS, 6 * MB), (WORDS, 3 * MB)])
def test_all_of_a_flood_is_kept_and_others_are_answered_meanwhile(
    hub: RunningHub, steps: tuple[dict[str, object], ...], size: int
) -> None:
    calm, loud, stop = begin(hub, "calm"), begin(hub, "loud"), hub.root / "stop"
    size += kept(hub)
    hub.say(loud, tell(flood(stop, *steps), said("Now I am done.")))
    rounds = 0
    while kept(hub) < size:
        rounds += 1
        be_answered(hub, calm, rounds)
        assert hub.show(loud)["status"] == "working"
    stop.touch()
    hub.wait_idle(loud)
    numbers = told_numbers(hub, loud)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 1000


def test_an_interrupt_reaches_an_agent_in_full_flood(hub: RunningHub) -> None:
    loud = begin(hub, "loud")
    hub.say(loud, tell(flood(hub.root / "never", *CALLS)))
    eventually(lambda: len(of_type(hub.events(loud), "tool_called")) > 100)
    hub.act(loud, "stop")
    eventually(lambda: hub.show(loud)["status"] == "idle")


@pytest.mark.torture
@pytest.mark.timeout(900)
def test_no_amount_of_it_costs_anybody_memory(hub: RunningHub) -> None:
    calm, loud, stop = begin(hub, "calm"), begin(hub, "loud"), hub.root / "stop"
    processes = [psutil.Process(hub.pid), hub.keeper(loud)]
    before = [process.memory_info().rss for process in processes]
    hub.say(loud, tell(flood(stop, *CALLS, *WORDS), said("Now I am done.")))
    rounds, most = 0, list(before)
    while kept(hub) < 2 * MOST_GROWTH:
        rounds += 1
        be_answered(hub, calm, rounds)
        most = [max(m, p.memory_info().rss) for m, p in zip(most, processes, strict=True)]
    stop.touch()
    hub.wait_idle(loud)
    assert all(m - b < MOST_GROWTH for m, b in zip(most, before, strict=True)), (before, most)
