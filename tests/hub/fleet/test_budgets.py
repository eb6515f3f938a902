"""A budget that is used up holds the agent at its next step and asks; nothing is killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import (
    REHEARSAL,
    Json,
    RunningHub,
    bash,
    eventually,
    hold,
    of_type,
    script,
    write,
)
from tests.support.shared_hub import MakeHub

DEAR = {"usage": {"in": 500_000, "out": 1000}}
SPENT = {**hold("spent"), **DEAR}


def let_on(hub: RunningHub, session: Json) -> None:
    """The dear call ends once the hub knows of it: an agent may be quicker than the hub."""
    eventually(lambda: hub.show(session["id"])["cost_usd"] >= session["budget"]["usd"])
    (Path(session["worktree"]) / "spent").touch()


def test_it_pauses_at_the_next_tool_call_and_goes_on_when_raised(shared: RunningHub) -> None:
    hub = shared
    steps = (write("a"), SPENT, write("c"), {"text": "done"})
    session = hub.new(script(*steps), budget_usd=2.0, agent=REHEARSAL)
    assert session["budget"] == {"usd": 2.0, "minutes": None}
    let_on(hub, session)
    item = hub.wait_attention(session["id"])
    assert item["kind"] == "budget"
    assert [o["id"] for o in item["options"]] == ["raise", "finish", "stop"]
    place = Path(session["worktree"])
    shown = hub.show(session["id"])
    assert (shown["status"], shown["cost_estimated"]) == ("waiting", True)
    assert shown["cost_usd"] >= 2.0
    assert not (place / "c").exists()
    pid = shown["agent_pid"]
    hub.answer(session["id"], "finish")
    [rested] = hub.wait_idle(session["id"])
    assert (place / "c").exists()
    assert not rested["cost_estimated"]
    exits = of_type(hub.events(session["id"]), "agent_exited")
    assert [e for e in exits if not e.get("expected")] == []
    assert pid
    hub.say(session["id"], script(write("d"), {"text": "."}))
    again = hub.wait_attention(session["id"])
    assert [o["id"] for o in again["options"]] == ["raise", "stop"]
    hub.act(session["id"], "budget", minutes=90.0)
    set_to = hub.act(session["id"], "budget", usd=1000.0)["budget"]
    assert set_to == {"usd": 1000.0, "minutes": 90.0}
    hub.wait_idle(session["id"])
    assert (place / "d").exists()


def test_stop_ends_the_turn_and_keeps_the_session(shared: RunningHub) -> None:
    hub = shared
    session = hub.new(script(SPENT, write("b"), {"text": "."}), budget_usd=2.0, agent=REHEARSAL)
    let_on(hub, session)
    hub.wait_attention(session["id"])
    hub.answer(session["id"], "stop")
    [rested] = hub.wait_idle(session["id"])
    assert not (Path(session["worktree"]) / "b").exists()
    last = of_type(hub.events(session["id"]), "turn_finished")[-1]
    assert last["outcome"] == "interrupted"
    assert rested["error"] is None


def test_a_hub_that_dies_meanwhile_changes_nothing_about_it(shared: RunningHub) -> None:
    hub = shared
    session = hub.new(script(SPENT, write("b"), {"text": "."}), budget_usd=2.0, agent=REHEARSAL)
    let_on(hub, session)
    item = hub.wait_attention(session["id"])
    hub.restart()
    assert hub.wait_attention(session["id"])["id"] == item["id"]
    assert not (Path(session["worktree"]) / "b").exists()
    hub.answer(session["id"], "finish")
    hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "b").exists()


@pytest.mark.parametrize("scope", ["repo_usd", "day_usd"])
def test_a_budget_of_the_repository_or_the_day_is_shared(configured: MakeHub, scope: str) -> None:
    hub = configured(f"[budget]\n{scope} = 1.0\n")
    first = hub.new(script({"text": "dear", **DEAR}), agent=REHEARSAL)
    hub.wait_idle(first["id"])
    second = hub.new(script({"text": "cheap"}), agent=REHEARSAL)
    item = hub.wait_attention(second["id"])
    assert (item["kind"], item["detail"]["unit"]) == ("budget", "usd")
    third = hub.new(script({"text": "cheap too"}), agent=REHEARSAL)
    hub.wait_attention(third["id"])
    hub.answer(second["id"], "raise")
    fourth = hub.new(script({"text": "and cheap"}), agent=REHEARSAL)
    hub.wait_idle(second["id"], third["id"], fourth["id"])
    assert "attention_raised" not in hub.types(fourth["id"])


def test_minutes_are_counted_while_it_works(configured: MakeHub) -> None:
    hub = configured("[budget]\nsession_minutes = 0.001\n")
    # More calls than it gets to: the agent may be quicker than the hub.
    begin, more = hold("go"), [bash(f"echo {n}") for n in range(40)]
    session = hub.new(script(begin, *more, write("a"), {"text": "."}), agent=REHEARSAL)
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until_type("tool_called", session["id"])
    (Path(session["worktree"]) / "go").touch()
    item = hub.wait_attention(session["id"])
    assert (item["kind"], item["detail"]["unit"]) == ("budget", "minutes")
    assert not (Path(session["worktree"]) / "a").exists()
    hub.answer(session["id"], "stop")
    hub.wait_idle(session["id"])


def test_a_second_agent_is_held_and_asked_about_and_goes_on_or_stops(shared: RunningHub) -> None:
    hub = shared
    session = hub.new(script({"text": "at rest"}), budget_usd=2.0, agent=REHEARSAL)
    ref, place = session["id"], Path(session["worktree"])
    hub.wait_idle(ref)
    dear = {**bash("echo dear"), **DEAR}
    steps = (write("a"), dear, bash("echo on"), write("b"), dear, bash("echo on"), write("c"))
    hub.act(ref, "conversations", text=script(*steps, {"text": "."}), writes=True)
    item = hub.wait_attention(ref)
    assert (item["kind"], [o["id"] for o in item["options"]]) == ("budget", ["raise", "stop"])
    assert [(place / name).exists() for name in "ab"] == [True, False]
    hub.answer(ref, "raise")
    again = hub.wait_attention(ref)
    assert (again["kind"], again["id"] != item["id"]) == ("budget", True)
    assert [(place / name).exists() for name in "bc"] == [True, False]
    hub.answer(ref, "stop")
    [rested] = hub.wait_idle(ref)
    assert [c["status"] for c in rested["conversations"]] == ["idle"]
    assert not (place / "c").exists()
    assert rested["error"] is None
