"""How long a keeper lives, and what it takes along at its end."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import msgspec
import psutil

from manyhands.keeper.spool import read_spool, spool_path
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.attention.attention import Resolution
from tests.keeper.conftest import Keepers
from tests.keeper.hub_end import PATIENCE
from tests.keeper.scripted import say
from tests.support.driver import gone


async def test_an_idle_keeper_ends_with_its_agent(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0.3))
    hub = keeper.hub
    await hub.do(say({"say": "hi"}))
    assert await keeper.exit() == 0
    await hub.until(lambda: hub.ended)
    [exited] = hub.all(e.AgentExited)
    assert exited.expected
    assert not Path(spec.socket).exists()


async def test_a_newborn_waits_for_its_first_command_however_slow_the_hub_is(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0))
    await keepers.outlive_an_idle_one(spec)
    assert keeper.process.returncode is None
    await keeper.hub.do(say({"say": "hi"}))
    assert await keeper.exit() == 0


async def test_a_hub_that_feels_its_pulse_does_not_keep_it_alive(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0))
    hub = keeper.hub
    await hub.do(say({"say": "hi"}))

    async def feel_the_pulse() -> None:
        while not hub.ended:
            await hub.do(wire.Look(on=False))

    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as tasks:
        pulse = tasks.create_task(feel_the_pulse())
        assert await keeper.exit() == 0
        pulse.cancel()


async def test_a_look_and_an_open_question_keep_it_alive(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0))
    hub = keeper.hub
    await hub.do(wire.Look(on=True))
    (Path(spec.worktree) / "from-the-editor").write_text("x\n")
    await hub.until_type("diff_changed")
    await hub.do(say({"ask": "question"}))
    await hub.do(wire.Look(on=False))
    await hub.until_type("question_asked")
    item = hub.all(e.QuestionAsked)[0].item
    await keepers.outlive_an_idle_one(spec)
    assert keeper.process.returncode is None
    await hub.do(wire.Settle(item=item, resolution=Resolution(text="yes")))
    assert await keeper.exit() == 0


async def test_a_left_over_process_keeps_the_keeper_but_not_the_turn(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0))
    hub = keeper.hub
    await hub.do(say({"leave": 600}))
    await hub.until_type("checkpoint_made", times=2)
    await keepers.outlive_an_idle_one(spec)
    assert keeper.process.returncode is None
    [left] = [
        p
        for p in psutil.Process(keeper.pid).children()
        if p.cmdline() == ["sleep", "600"] and p.pid != hub.all(e.AgentStarted)[0].pid
    ]
    await hub.do(wire.Stop())
    assert await keeper.exit() == 0
    assert await asyncio.to_thread(gone, left)


async def test_stop_ends_it_in_the_middle_of_a_turn(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    await hub.do(say({"wait": True}))
    await hub.until_type("agent_started")
    agent = psutil.Process(hub.all(e.AgentStarted)[0].pid)
    assert await hub.do(wire.Stop()) == ""
    assert await keeper.exit() == 0
    assert await asyncio.to_thread(gone, agent)
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


async def test_orphans_of_the_agent_are_buried(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    await hub.do(say({"orphan": True}))
    await hub.until_type("turn_finished")
    pid = int(hub.all(e.AgentMessage)[0].text)
    orphan = psutil.Process(pid)
    assert orphan.ppid() == keeper.pid
    orphan.kill()
    await asyncio.to_thread(psutil.wait_procs, [orphan], PATIENCE)
    assert not psutil.pid_exists(pid)


async def test_nobody_looks_through_a_dead_hub(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0.3))
    await keeper.hub.do(wire.Look(on=True))
    await keeper.hub.drop()
    assert await keeper.exit() == 0


async def test_a_pending_question_outlives_the_hub(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(msgspec.structs.replace(spec, linger=0))
    hub = keeper.hub
    await hub.do(say({"ask": "question"}))
    await hub.until_type("question_asked")
    await hub.drop()
    await keepers.outlive_an_idle_one(spec)
    await hub.connect()
    item = hub.all(e.QuestionAsked)[0].item
    await hub.do(wire.Settle(item=item, resolution=Resolution(text="blue")))
    await hub.until_type("turn_finished")
    assert [m.text for m in hub.all(e.AgentMessage)] == ["answer:  blue"]
