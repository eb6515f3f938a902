"""Agents that read a repository's settings by themselves: they run them, so they wait for trust."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import psutil
import pytest

from manyhands.workspace.runnable import runnable_in
from tests.conformance.bench import Stand
from tests.conformance.hubs import hub_of
from tests.conformance.subjects import EXAMPLE_AGENT, OPENCODE
from tests.support.agent_driver import Bench
from tests.support.driver import eventually, gone, script

pytestmark = pytest.mark.timeout(300)


async def test_opencode_runs_a_repositorys_plugin_and_it_is_counted(
    bench: Bench, tmp_path: Path
) -> None:
    stand, mark = Stand(OPENCODE, bench), tmp_path / "ran"
    plugin = stand.worktree / ".opencode/plugin/own.js"
    plugin.parent.mkdir(parents=True)
    written = f"require('fs').writeFileSync({json.dumps(str(mark))}, '')"
    # Beside a plugin it would load 56 MB from the network, for plugins to be written with.
    (stand.worktree / ".opencode/node_modules").mkdir()
    lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    (stand.worktree / ".opencode/package-lock.json").write_text(json.dumps(lock))
    plugin.write_text(f"export const Own = async () => {{ {written}; return {{}} }}\n")
    assert ".opencode/plugin/own.js" in {p.path for p in runnable_in(stand.worktree)}
    async with stand.agent() as driver:
        await driver.turn(stand.say({"text": "here"}))
    await asyncio.to_thread(eventually, mark.exists)


def test_one_that_cannot_be_held_back_is_not_started_before_somebody_has_looked(
    tmp_path: Path,
) -> None:
    with hub_of(tmp_path / "hub", (EXAMPLE_AGENT,)) as hub:
        session = hub.new(script({"text": "One."}), agent=EXAMPLE_AGENT.name)
        hub.wait_idle(session["id"])
        agent = psutil.Process(hub.show(session["id"])["agent_pid"])
        agent.kill()
        assert gone(agent)
        eventually(lambda: not hub.show(session["id"])["agent_pid"])
        plugin = Path(session["worktree"]) / ".opencode/plugin/own.js"
        plugin.parent.mkdir(parents=True)
        plugin.write_text("export const Own = async () => ({})\n")
        hub.say(session["id"], script({"text": "Two."}))
        item = hub.wait_attention(session["id"])
        assert (item["kind"], list(item["detail"]["files"])) == (
            "trust",
            [".opencode/plugin/own.js"],
        )
        started = [e for e in hub.events(session["id"]) if e["type"] == "agent_started"]
        assert len(started) == 1
        hub.answer(session["id"], "trust")
        [rested] = hub.wait_idle(session["id"])
        assert rested["turn"] == 2, "the message was not lost over it"
