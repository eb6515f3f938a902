"""A keeper and its agent: messages, answers, modes, and an agent that dies."""

from __future__ import annotations

import os
import signal

import msgspec

from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.attention.attention import Resolution
from manyhands.model.ids import MessageId
from tests.keeper.conftest import Keepers
from tests.keeper.scripted import say


async def test_a_message_within_a_turn_steers_it(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"wait": True}))
    await hub.do(wire.Say(message=MessageId("m2"), text="left"))
    await hub.until_type("turn_finished")
    assert [m.text for m in hub.all(e.AgentMessage)] == ["steered: left"]
    assert hub.types.count("turn_started") == 1
    assert hub.types.count("message_delivered") == 2


async def test_an_answer_reaches_the_waiting_agent_once(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"ask": "permission"}))
    await hub.until_type("permission_requested")
    item = hub.all(e.PermissionRequested)[0].item
    assert item.session == spec.session
    assert item.raised_at
    await hub.drop()
    await hub.connect()
    settle = wire.Settle(item=item, resolution=Resolution(("allow",)))
    assert await hub.do(settle) == ""
    assert await hub.do(settle) == ""
    await hub.until_type("turn_finished")
    assert [m.text for m in hub.all(e.AgentMessage)] == ["answer: allow"]
    assert [a.item for a in hub.all(e.AnswerDelivered)] == [item.id]


async def test_every_kind_of_item_has_its_event(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    hub = (await keepers.connected(spec)).hub
    kinds = ("plan", "question", "permission", "bell")
    await hub.do(say(*({"ask": kind} for kind in kinds)))
    names = ("plan_proposed", "question_asked", "permission_requested", "attention_raised")
    for name in names:
        await hub.until_type(name)
        [raised] = [x for x in hub.events if e.wire_name(type(x).__name__) == name]
        assert isinstance(raised, e.Raising)
        await hub.do(wire.Settle(item=raised.item, resolution=Resolution(("deny",))))
    await hub.until_type("turn_finished")


async def test_an_interrupt_ends_the_turn_and_makes_its_items_moot(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"ask": "plan"}))
    await hub.until_type("plan_proposed")
    item = hub.all(e.PlanProposed)[0].item
    assert await hub.do(wire.Interrupt()) == ""
    await hub.until_type("turn_finished")
    assert hub.all(e.TurnFinished)[0].outcome == "interrupted"
    [resolved] = hub.all(e.AttentionResolved)
    assert (resolved.item, resolved.resolution.by) == (item.id, "stop")
    assert resolved.resolution.options == ()
    assert [a.item for a in hub.all(e.AnswerDelivered)] == [item.id]
    assert await hub.do(say({"say": "again"}, id="m2")) == ""
    await hub.until_type("turn_finished", 2)
    assert hub.types.count("agent_started") == 1


async def test_mode_and_model_hold_before_and_after_the_start(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(wire.SetMode(mode="plan"))
    await hub.do(wire.SetMode(mode="plan"))
    await hub.do(wire.SetModel(model="tiny"))
    await hub.do(wire.SetRules(rules=()))
    await hub.do(say({"say": "hi"}))
    await hub.do(wire.SetMode(mode="auto"))
    await hub.until_type("turn_finished")
    # Whoever chose it has it on record.
    assert not hub.all(e.ModeChanged) + hub.all(e.ModelChanged)
    assert hub.all(e.AgentStarted)[0].model == "tiny"


async def test_model_and_effort_of_one_message_hold_for_that_message_alone(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(wire.SetEffort(effort="high"))
    await hub.do(say({"worn": True}, id="m1"))
    await hub.until_type("turn_finished")
    special = msgspec.structs.replace(say({"worn": True}, id="m2"), model="tiny", effort="low")
    await hub.do(special)
    await hub.until_type("turn_finished", 2)
    await hub.do(say({"worn": True}, id="m3"))
    await hub.until_type("turn_finished", 3)
    first, second, third = [m.text for m in hub.all(e.AgentMessage)]
    assert second == "model tiny, effort low"
    assert first == third
    assert first.endswith("effort high")


async def test_an_agent_that_cannot_start_fails_the_session_and_takes_the_message(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, agent_session="missing"))
    hub = keeper.hub
    assert await hub.do(say({"say": "x"})) == ""
    await hub.until_type("session_failed")
    [failed] = hub.all(e.SessionFailed)
    assert (failed.step, failed.hint) == ("agent", "start a new session")
    assert "missing" in failed.error
    # The checkpoint before the first turn is made meanwhile, whatever becomes of the agent.
    told = [t for t in hub.types if t != "checkpoint_made"]
    assert told == ["box_entered", "message_delivered", "session_failed"]


async def test_a_killed_agent_ends_its_turn_and_leaves_its_items_open(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"ask": "permission"}))
    await hub.until_type("permission_requested")
    [started] = hub.all(e.AgentStarted)
    os.kill(started.pid, signal.SIGKILL)
    await hub.until_type("agent_exited")
    [exited] = hub.all(e.AgentExited)
    assert (exited.expected, exited.returncode) == (False, -signal.SIGKILL)
    await hub.until_type("checkpoint_made", times=2)
    assert "attention_resolved" not in hub.types
    assert "turn_finished" not in hub.types
    await hub.do(say({"say": "go on"}, id="m2"))
    await hub.until_type("turn_finished")
    second = hub.all(e.AgentStarted)[1]
    assert (second.agent_session, second.resumed) == (started.agent_session, True)
    assert [t.turn for t in hub.all(e.TurnStarted)] == [1, 2]


async def test_a_late_answer_resumes_the_agent_and_grants_the_call(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    first = await keepers.connected(spec)
    await first.hub.do(say({"ask": "permission"}))
    await first.hub.until_type("permission_requested")
    item = first.hub.all(e.PermissionRequested)[0].item
    name = first.hub.all(e.AgentStarted)[0].agent_session
    await first.kill()
    again = msgspec.structs.replace(spec, epoch=2, turn=1, agent_session=name)
    hub = (await keepers.connected(again)).hub
    settle = wire.Settle(item=item, resolution=Resolution(("allow",)))
    assert await hub.do(settle) == ""
    assert await hub.do(settle) == ""
    await hub.until_type("turn_finished")
    core = [t for t in hub.types if t not in ("diff_changed", "checkpoint_made")]
    assert core[:4] == ["box_entered", "agent_started", "turn_started", "answer_delivered"]
    assert hub.all(e.AgentStarted)[0].resumed
    assert hub.all(e.TurnStarted)[0].turn == 2
    [said] = hub.all(e.AgentMessage)
    assert "allowed" in said.text
    await hub.do(say({"grants": True}, id="m2"))
    await hub.until(lambda: len(hub.all(e.AgentMessage)) == 2)
    assert hub.all(e.AgentMessage)[1].text == "grants: Bash {'command': 'make'}"


async def test_a_late_approval_of_a_plan_brings_its_mode(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    first = await keepers.connected(msgspec.structs.replace(spec, mode="plan"))
    await first.hub.do(say({"ask": "plan"}))
    await first.hub.until_type("plan_proposed")
    item = first.hub.all(e.PlanProposed)[0].item
    os.kill(first.hub.all(e.AgentStarted)[0].pid, signal.SIGKILL)
    await first.hub.until_type("agent_exited")
    settle = wire.Settle(item=item, resolution=Resolution(("approve",)))
    assert await first.hub.do(settle) == ""
    await first.hub.until_type("turn_finished")
    assert [m.mode for m in first.hub.all(e.ModeChanged)] == ["edits"]
    assert first.hub.types.index("mode_changed") < first.hub.types.index("answer_delivered")


async def test_a_turn_that_the_agent_begins_by_itself_is_a_turn(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"wake": True}))
    await hub.until_type("turn_finished", 2)
    assert [t.turn for t in hub.all(e.TurnStarted)] == [1, 2]
    assert [t.turn for t in hub.all(e.TurnFinished)] == [1, 2]


async def test_a_mode_set_while_the_agent_starts_reaches_it(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(msgspec.structs.replace(spec, agent_session="late"))).hub
    hub.tell(say({"mode": True}))
    await hub.until_type("note_made")
    await hub.do(wire.SetMode(mode="auto"))
    await hub.until_type("turn_finished")
    assert [m.text for m in hub.all(e.AgentMessage)] == ["mode: auto"]
