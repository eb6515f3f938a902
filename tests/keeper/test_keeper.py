"""A keeper's life: from its claim to its end, with a hub that comes and goes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
from pathlib import Path
from typing import Any

import msgspec
import psutil

from manyhands.keeper.spool import read_spool, spool_path
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.attention import Resolution
from manyhands.model.ids import CommandId, MessageId
from manyhands.model.live import AnyLive, TextDelta
from tests.keeper.conftest import Keepers
from tests.keeper.worktree import git


def say(*steps: dict[str, Any], id: str = "m1") -> wire.Say:
    return wire.Say(message=MessageId(id), text=json.dumps(steps))


async def test_a_turn_from_message_to_checkpoint(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    assert await hub.do(say({"write": ["new.txt", "1\n2\n"]}, {"say": "done"})) == ""
    await hub.until_type("checkpoint_made", times=2)
    before, made = hub.all(e.CheckpointMade)
    core = [t for t, event in zip(hub.types, hub.events, strict=True) if event != before]
    assert [t for t in core if t != "diff_changed"] == [
        "agent_started",
        "turn_started",
        "message_delivered",
        "agent_message",
        "turn_finished",
        "checkpoint_made",
    ]
    assert hub.types.index("diff_changed") < hub.types.index("turn_finished")
    [changed] = hub.all(e.DiffChanged)
    assert (changed.path, changed.total_added, changed.total_files) == ("new.txt", 2, 1)
    for event in hub.events:
        assert not isinstance(event, e.Unknown)
        assert event.session == spec.session
        assert event.at
        assert event.turn == (0 if isinstance(event, e.AgentStarted) or event == before else 1)
    assert "new.txt" not in git(Path(spec.worktree), "ls-tree", f"{before.commit}:display")
    ref = f"refs/manyhands/checkpoints/{spec.session}/1"
    assert git(Path(spec.worktree), "rev-parse", ref) == made.commit
    assert git(Path(spec.worktree), "show", f"{made.commit}:display/new.txt") == "1\n2"


async def test_nobody_else_can_reach_the_socket(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    await keepers.start(spec)
    assert stat.S_IMODE(Path(spec.socket).stat().st_mode) == 0o600


async def test_a_dropped_hub_resumes_without_gap_or_double(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    hub.tell(say({"many": 3000}))
    for drop_at in (200, 900, 2000):
        await hub.until(lambda: hub.last >= drop_at)  # noqa: B023
        await hub.drop()
        await hub.connect()
    await hub.until_type("turn_finished")
    texts = [m.message for m in hub.all(e.AgentMessage)]
    assert texts == [f"m{n}" for n in range(3000)]
    await hub.until(lambda: hub.last == len(hub.events))


async def test_what_was_received_but_not_acknowledged_comes_again(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    hub.acks = False
    await hub.do(say({"say": "one"}, {"say": "two"}))
    await hub.until_type("checkpoint_made", times=2)
    seen = dict(hub.numbered)
    await hub.drop()
    hub.numbered.clear()
    await hub.connect(acked=0)
    await hub.until(lambda: hub.last == max(seen))
    assert hub.numbered == seen


async def test_a_newer_hub_takes_over_from_an_older(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    old = keeper.hub
    new = keepers.hub(spec)
    await new.connect()
    await old.until(lambda: old.ended)
    await new.do(say({"say": "hello"}))
    await new.until_type("agent_message")
    assert old.events == []


async def test_a_killed_keeper_leaves_the_rest_in_its_spool(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    hub.acks = False
    await hub.do(say({"many": 500}, {"wait": True}))
    await hub.until(lambda: len(hub.all(e.AgentMessage)) == 500)
    [agent] = hub.all(e.AgentStarted)
    gone = psutil.Process(agent.pid)
    await keeper.kill()
    await asyncio.to_thread(gone.wait, 10)
    left = read_spool(spool_path(spec.spool, spec.epoch))
    told = {n: e.decode(body) for n, body in left}
    assert told == {n: told[n] for n in range(1, len(told) + 1)}
    assert all(told[n] == event for n, event in hub.numbered.items())


async def test_a_second_keeper_of_a_session_refuses(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    first = await keepers.connected(spec)
    second = await keepers.start(msgspec.structs.replace(spec, epoch=2), ready=False)
    assert await second.exit() != 0
    assert await first.hub.do(say({"say": "still here"})) == ""
    await first.kill()
    third = await keepers.connected(msgspec.structs.replace(spec, epoch=3))
    assert third.hub.welcome is not None
    assert third.hub.welcome.epoch == 3


async def test_a_newer_epoch_fences_an_old_keeper_off(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    await keeper.hub.do(say({"wait": True}))
    await keeper.hub.until_type("agent_started")
    agent = psutil.Process(keeper.hub.all(e.AgentStarted)[0].pid)
    newer = keepers.hub(spec)
    await newer.connect(epoch=2)
    assert newer.welcome is not None
    assert newer.welcome.epoch == 1
    assert await keeper.exit() == 0
    assert not agent.is_running()


async def test_another_protocol_is_answered_with_ours(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.start(spec)
    await keeper.hub.connect(protocol=99)
    assert keeper.hub.welcome is not None
    assert keeper.hub.welcome.protocol == wire.PROTOCOL


async def test_a_stranger_on_the_socket_harms_nothing(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.start(spec)
    for junk in (b"", b"\0\0\0\5hello", b"\xff\xff\xff\xff", b"\0\0\0\2{}", b"GET / HTTP/1.1\r\n"):
        reader, writer = await asyncio.open_unix_connection(spec.socket)
        writer.write(junk)
        writer.write_eof()
        await reader.read()
        writer.close()
    await keeper.hub.connect()
    assert await keeper.hub.do(say({"say": "fine"})) == ""


async def test_a_command_sent_again_does_nothing_twice(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    assert await hub.do(say({"say": "once"}), id="c1") == ""
    await hub.until_type("turn_finished")
    hub.done.clear()
    assert await hub.do(say({"say": "once"}), id="c1") == ""
    assert await hub.do(say({"say": "once"}), id="c2") == ""
    assert await hub.do(say({"say": "other"}, id="m2")) == ""
    await hub.until_type("turn_finished", 2)
    assert [m.text for m in hub.all(e.AgentMessage)] == ["once", "other"]
    assert [m.message for m in hub.all(e.MessageDelivered)] == ["m1", "m2"]
    assert [t.turn for t in hub.all(e.TurnStarted)] == [1, 2]


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
    assert [m.mode for m in hub.all(e.ModeChanged)] == ["plan", "auto"]
    assert [m.model for m in hub.all(e.ModelChanged)] == ["tiny"]
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
    assert hub.types == ["message_delivered", "session_failed"]


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


async def test_live_text_comes_whole_to_whoever_joins(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    await hub.do(say({"stream": ["Hel", "lo, ", "world"]}, {"wait": True}))

    def text(frames: list[AnyLive]) -> str:
        said = ""
        for frame in frames:
            assert isinstance(frame, TextDelta)
            said = said[: frame.offset] + frame.text
        return said

    await hub.until(lambda: text(hub.live) == "Hello, world")
    await hub.drop()
    await hub.connect()
    assert hub.welcome is not None
    assert text(list(hub.welcome.live)) == "Hello, world"
    assert {(f.session, f.turn) for f in hub.live} == {(spec.session, 1)}
    await hub.do(wire.Say(message=MessageId("m2"), text="end"))
    await hub.until_type("turn_finished")
    await hub.drop()
    await hub.connect()
    assert hub.welcome.live == ()


async def test_a_hub_that_does_not_read_slows_nobody_and_misses_nothing(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.start(spec)
    _, writer = await asyncio.open_unix_connection(spec.socket, limit=1024)
    writer.write(wire.frame(wire.Hello(protocol=1, epoch=1, acked=0)))
    command = wire.Do(id=CommandId("c"), command=say({"many": 20000}))
    writer.write(wire.frame(command))
    path = spool_path(spec.spool, 1)
    for _ in range(200):
        if len(await asyncio.to_thread(read_spool, path)) > 20000:
            break
        await asyncio.sleep(0.1)
    writer.transport.abort()
    await keeper.hub.connect()
    await keeper.hub.until(lambda: len(keeper.hub.all(e.AgentMessage)) == 20000)


async def test_an_idle_keeper_ends_with_its_agent(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0.3))
    hub = keeper.hub
    await hub.do(say({"say": "hi"}))
    assert await keeper.exit() == 0
    await hub.until(lambda: hub.ended)
    [exited] = hub.all(e.AgentExited)
    assert exited.expected
    assert not Path(spec.socket).exists()


async def test_a_look_and_an_open_question_keep_it_alive(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0.2))
    hub = keeper.hub
    await hub.do(wire.Look(on=True))
    (Path(spec.worktree) / "from-the-editor").write_text("x\n")
    await hub.until_type("diff_changed")
    await hub.do(say({"ask": "question"}))
    await hub.do(wire.Look(on=False))
    await hub.until_type("question_asked")
    item = hub.all(e.QuestionAsked)[0].item
    await asyncio.sleep(0.8)
    assert keeper.process.returncode is None
    await hub.do(wire.Settle(item=item, resolution=Resolution(text="yes")))
    assert await keeper.exit() == 0


async def test_a_left_over_process_keeps_the_keeper_but_not_the_turn(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0.2))
    hub = keeper.hub
    await hub.do(say({"leave": 600}))
    await hub.until_type("turn_finished")
    await asyncio.sleep(1.0)
    assert keeper.process.returncode is None
    [left] = [
        p
        for p in psutil.Process(keeper.pid).children()
        if p.cmdline() == ["sleep", "600"] and p.pid != hub.all(e.AgentStarted)[0].pid
    ]
    await hub.do(wire.Stop())
    assert await keeper.exit() == 0
    assert not left.is_running()


async def test_stop_ends_it_in_the_middle_of_a_turn(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    await hub.do(say({"wait": True}))
    agent = psutil.Process(hub.all(e.AgentStarted)[0].pid)
    assert await hub.do(wire.Stop()) == ""
    assert await keeper.exit() == 0
    assert not agent.is_running()
    await hub.until(lambda: hub.ended)
    assert hub.all(e.AgentExited)[0].expected


async def test_hangups_are_passed_by_and_term_ends_it_in_order(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    os.kill(keeper.pid, signal.SIGHUP)
    os.kill(keeper.pid, signal.SIGINT)
    assert await keeper.hub.do(say({"say": "here"})) == ""
    os.kill(keeper.pid, signal.SIGTERM)
    assert await keeper.exit() == 0
    told = [e.decode(body) for _, body in read_spool(spool_path(spec.spool, 1))]
    assert isinstance(told[-1], e.AgentExited | e.CheckpointMade)


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
    assert core[:3] == ["agent_started", "turn_started", "answer_delivered"]
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


async def test_a_keeper_stopped_while_its_agent_starts_leaves_the_message_to_the_next(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, agent_session="slow"))
    hub = keeper.hub
    hub.tell(say({"say": "x"}))
    await hub.until_type("note_made")
    await hub.do(wire.Stop())
    assert await keeper.exit() == 0
    await hub.until(lambda: hub.ended)
    assert "message_delivered" not in hub.types
    assert "session_failed" not in hub.types


async def test_a_mode_set_while_the_agent_starts_reaches_it(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(msgspec.structs.replace(spec, agent_session="late"))).hub
    hub.tell(say({"mode": True}))
    await hub.until_type("note_made")
    await hub.do(wire.SetMode(mode="auto"))
    await hub.until_type("turn_finished")
    assert [m.text for m in hub.all(e.AgentMessage)] == ["mode: auto"]


async def test_orphans_of_the_agent_are_buried(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    await hub.do(say({"orphan": True}))
    await hub.until_type("turn_finished")
    pid = int(hub.all(e.AgentMessage)[0].text)
    orphan = psutil.Process(pid)
    assert orphan.ppid() == keeper.pid
    orphan.kill()
    await asyncio.to_thread(psutil.wait_procs, [orphan], 20)
    assert not psutil.pid_exists(pid)


async def test_nobody_looks_through_a_dead_hub(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0.3))
    await keeper.hub.do(wire.Look(on=True))
    await keeper.hub.drop()
    assert await keeper.exit() == 0


async def test_a_pending_question_outlives_the_hub(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0.2))
    hub = keeper.hub
    await hub.do(say({"ask": "question"}))
    await hub.until_type("question_asked")
    await hub.drop()
    await asyncio.sleep(0.8)
    await hub.connect()
    item = hub.all(e.QuestionAsked)[0].item
    await hub.do(wire.Settle(item=item, resolution=Resolution(text="blue")))
    await hub.until_type("turn_finished")
    assert [m.text for m in hub.all(e.AgentMessage)] == ["answer:  blue"]
