"""A keeper from the nursery with real Claude Code on the scripted model."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from manyhands.keeper.nursery import Nursery
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.attention.attention import Resolution
from manyhands.model.ids import MessageId
from manyhands.process.identity import identify
from manyhands.process.stop import wait_gone
from tests.keeper.conftest import Keepers
from tests.keeper.hub_end import PATIENCE, HubEnd
from tests.support.brief import BRIEF


def script(id: str, *steps: dict[str, Any]) -> wire.Say:
    return wire.Say(message=MessageId(id), text=f"<<SCRIPT {json.dumps(steps)} SCRIPT>>")


@pytest.fixture
async def model() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "manyhands.rehearsal", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    ready = json.loads(await process.stdout.readline())
    yield ready["url"]
    process.terminate()
    await process.wait()


@pytest.fixture
def claude(spec: wire.KeeperSpec, model: str, tmp_path: Path) -> wire.KeeperSpec:
    home = tmp_path / "home"
    home.mkdir()
    env = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_TMPDIR": str(tmp_path / "scratch"),
        "MANYHANDS_SESSION": spec.session,
        **BRIEF,
    }
    agent = wire.AgentSpec(name="rehearsal", kind="claude", env=env)
    return msgspec.structs.replace(spec, agent=agent)


@pytest.fixture
async def nursery(tmp_path: Path) -> AsyncIterator[Nursery]:
    nursery = Nursery(tmp_path / "nursery.log")
    yield nursery
    await nursery.close()


async def until_gone(pid: int) -> None:
    if found := identify(pid):
        assert await asyncio.to_thread(wait_gone, found, PATIENCE)


async def test_a_real_agent_works_asks_dies_and_goes_on(
    claude: wire.KeeperSpec, nursery: Nursery, keepers: Keepers
) -> None:
    first_pid = await nursery.keeper(claude)
    hub: HubEnd = keepers.hub(claude)
    await hub.connect()
    write = {"tool": "Write", "input": {"file_path": "made.txt", "content": "one\ntwo\n"}}
    await hub.do(script("m1", write, {"text": "written"}))
    await hub.until_type("permission_requested")
    item = hub.all(e.PermissionRequested)[0].item
    await hub.do(wire.Settle(item=item, resolution=Resolution(("allow",))))
    # That the diff comes before the turn's end is promised only where it is quick.
    await hub.until(lambda: [d.total_added for d in hub.all(e.DiffChanged)][-1:] == [2])
    await hub.until(lambda: "1" in [c.checkpoint for c in hub.all(e.CheckpointMade)])
    assert "written" in [m.text for m in hub.all(e.AgentMessage)]

    bash = {"tool": "Bash", "input": {"command": "touch from-bash", "description": "touch"}}
    await hub.do(script("m2", bash, {"text": "touched"}))
    await hub.until_type("permission_requested", 2)
    item = hub.all(e.PermissionRequested)[1].item
    started = hub.all(e.AgentStarted)[0]
    os.kill(first_pid, signal.SIGKILL)
    await until_gone(first_pid)
    await until_gone(started.pid)

    name = started.agent_session
    again = msgspec.structs.replace(claude, epoch=2, turn=2, agent_session=name)
    second_pid = await nursery.keeper(again)
    hub = keepers.hub(again)
    await hub.connect(epoch=2)
    await hub.do(wire.Settle(item=item, resolution=Resolution(("allow",))))
    await hub.until_type("turn_finished")
    resumed = hub.all(e.AgentStarted)[0]
    assert (resumed.agent_session, resumed.resumed) == (name, True)
    made = Path(claude.worktree) / "from-bash"
    if not made.exists():
        # What the scripted model makes of a resumed dialogue depends on where it was cut off.
        await hub.do(script("m3", bash, {"text": "touched at last"}))
        await hub.until_type("turn_finished", 2)
    assert "permission_requested" not in hub.types
    assert made.exists()

    turns = hub.types.count("turn_finished")
    await hub.do(script("m4", {"tool": "Bash", "input": {"command": "sleep 1"}}, {"text": "no"}))
    await hub.until_type("permission_requested")
    assert await hub.do(wire.Interrupt()) == ""
    await hub.until_type("turn_finished", turns + 1)
    assert hub.all(e.TurnFinished)[turns].outcome == "interrupted"
    [resolved] = hub.all(e.AttentionResolved)
    assert resolved.resolution.by == "stop"
    await hub.do(wire.Stop())
    await until_gone(second_pid)
    await until_gone(resumed.pid)
    await hub.until(lambda: hub.ended)
    assert [x.expected for x in hub.all(e.AgentExited)] == [True]
