"""kill -9 of the hub at random moments: agents go on, nothing is lost, doubled or asked again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.driver import ACTOR, REHEARSAL, Json, RunningHub, bash, eventually, script, write

STEPS = 8
PLAN = script(
    {
        "tool": "Write",
        "input": {"file_path": "$PLAN", "content": "# Plan\n1. Wait for the person\n"},
        "subst": {"$PLAN": r"(/\S+/plans/[\w-]+\.md)"},
    },
    {"tool": "ExitPlanMode", "input": {}},
    {"text": "Approved."},
)
QUESTION = script(
    {
        "tool": "AskUserQuestion",
        "input": {
            "questions": [
                {
                    "question": "Which colour?",
                    "header": "Colour",
                    "multiSelect": False,
                    "options": [
                        {"label": "Red", "description": "warm"},
                        {"label": "Blue", "description": "cold"},
                    ],
                }
            ]
        },
    },
    {"text": "Thank you."},
)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    # No agent may end because it had nothing to do, however slow the others are.
    with RunningHub(tmp_path, working=8, linger=600, agent=ACTOR) as running:
        running.start_model()
        running.make_repo()
        yield running


def work(round_: int) -> str:
    """A turn of some seconds that leaves a file per step; agents rest more than they compute."""
    files = [write(f"r{round_}-s{step}.txt", f"{round_} {step}\n") for step in range(STEPS)]
    steps: list[dict[str, Any]] = [{**file, "delay": 0.5} for file in files]
    return script(*steps, bash("ls | wc -l"), {"text": f"Round {round_} done."})


@pytest.mark.brief
def test_twenty_kills_of_the_hub_lose_and_double_nothing(hub: RunningHub) -> None:
    survive(hub, kills=20, seed=20)


@pytest.mark.torture
@pytest.mark.timeout(1200)
def test_a_hundred_kills_of_the_hub_lose_and_double_nothing(hub: RunningHub) -> None:
    survive(hub, kills=100, seed=100)


def survive(hub: RunningHub, *, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    busy = [hub.new(work(0), name=f"busy {n}")["id"] for n in range(3)]
    planning = hub.new(PLAN, name="planning", mode="plan", agent=REHEARSAL)["id"]
    asking = hub.new(QUESTION, name="asking", agent=REHEARSAL)["id"]
    plan = hub.wait_attention(planning)
    question = hub.wait_attention(asking)
    hub.answer(asking, "Blue", item=question["id"])
    said = Counter(dict.fromkeys((*busy, planning, asking), 1))
    agents = {session: started_agent(hub, session) for session in busy}

    for round_ in range(1, kills + 1):
        for session in busy:
            if hub.show(session)["status"] == "idle":
                hub.say(session, work(round_))
                said[session] += 1
        with hub.reader() as reader, suppress(TimeoutError):
            for _ in range(chance.randrange(4)):
                reader.take(seconds=2)  # all turns may have ended just before: kill it then
        hub.restart()
        assert hub.show(planning)["attention"][0]["id"] == plan["id"]

    hub.wait_idle(*busy, asking)
    for session, pid in agents.items():
        assert psutil.pid_exists(pid), "an agent did not survive the hub"
        check_log(hub.events(session), said[session])
    check_log(hub.events(asking), 1)
    check_numbers(hub)
    hub.answer(planning, "approve", item=plan["id"])
    hub.wait_idle(planning)
    assert "Approved." in [e["text"] for e in hub.events(planning) if e["type"] == "agent_message"]


def started_agent(hub: RunningHub, session: str) -> int:
    """The pid of a session's agent, once it has one."""
    eventually(lambda: hub.show(session)["agent_pid"])
    return int(hub.show(session)["agent_pid"])


def check_log(events: list[Json], messages: int) -> None:
    """Every fact of a session's log is there once."""
    kinds = Counter(event["type"] for event in events)
    assert kinds["user_message"] == kinds["message_delivered"] == kinds["turn_started"] == messages
    assert kinds["turn_finished"] == messages
    assert kinds["agent_started"] == 1
    assert kinds["agent_exited"] == 0
    once("call", [e for e in events if e["type"] == "tool_called"])
    once("call", [e for e in events if e["type"] == "tool_finished"])
    once("message", [e for e in events if e["type"] == "agent_message"])
    once("turn", [e for e in events if e["type"] == "turn_started"])
    called = {e["call"] for e in events if e["type"] == "tool_called"}
    assert called == {e["call"] for e in events if e["type"] == "tool_finished"}
    raised = [e["item"]["id"] for e in events if e["type"] == "question_asked"]
    resolved = [e["item"] for e in events if e["type"] == "attention_resolved"]
    assert len(set(raised)) == len(raised)
    assert resolved == raised


def once(field: str, events: list[Json]) -> None:
    counted = Counter(event[field] for event in events)
    assert not [name for name, count in counted.items() if count > 1], counted


def check_numbers(hub: RunningHub) -> None:
    """Numbers run on without gap over the whole hub, whatever was killed."""
    last = hub.get("/api/status")["last_seq"]
    with hub.reader(after=0) as reader:
        reader.until_seq(last)
    assert reader.seqs == list(range(1, reader.seqs[-1] + 1))
