"""A thousand messages that wait for one session reach its agent in order, each once, and not ever
more slowly the more of them there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.driver import RunningHub, eventually, of_type
from tests.support.told_agent import configured, said, tell


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    hub = RunningHub(tmp_path / "hub", working=1)
    hub.configure(hub.home.config.read_text() + configured("told"))
    with hub as running:
        running.make_repo()
        yield running


def deliver(hub: RunningHub, name: str, count: int) -> float:
    """Queue so many while another session has the only place, then let them go; the processor's
    seconds that it cost the hub."""
    go = hub.root / f"go-{name}"
    busy = hub.new(tell({"until": str(go)}), agent="told", name=f"busy {name}")
    eventually(lambda: hub.show(busy["id"])["status"] == "working")
    session = hub.new(tell(said("0 ")), agent="told", name=name)["id"]
    process = psutil.Process(hub.pid)
    for number in range(1, count):
        hub.say(session, tell(said(f"{number} ")))
    before = process.cpu_times()
    go.touch()
    assert hub.wait(session, seconds=600)["outcome"] == "reached"
    after = process.cpu_times()
    events = hub.events(session)
    asked = [e["message"] for e in of_type(events, "user_message")]
    assert len(asked) == count
    assert [e["message"] for e in of_type(events, "message_delivered")] == asked
    assert not of_type(events, "session_failed")
    spoken = [e["text"] for e in of_type(events, "agent_message")]
    assert "".join(spoken).split() == [str(number) for number in range(count)]
    return after.user + after.system - before.user - before.system


def test_they_come_in_order_and_once_and_none_costs_more_for_those_behind_it(
    hub: RunningHub,
) -> None:
    few, many = deliver(hub, "few", 40), deliver(hub, "many", 160)
    assert many < 9 * few  # four times as many; were each to cost more, it would be sixteen


@pytest.mark.torture
@pytest.mark.timeout(900)
def test_a_thousand_of_them_too(hub: RunningHub) -> None:
    deliver(hub, "many", 1000)
