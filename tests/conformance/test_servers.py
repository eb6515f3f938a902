"""Tool servers of a repository reach an ACP agent, and only where its user trusts it."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from manyhands.model.events import NoteMade
from tests.conformance.bench import Stand
from tests.conformance.subjects import CODEX, ROOT
from tests.support.agent_driver import Bench
from tests.support.driver import eventually

pytestmark = pytest.mark.timeout(300)

SERVER = ROOT / "tests" / "conformance" / "tool_server.py"


@pytest.mark.parametrize("trusted", [True, False])
async def test_they_run_once_the_repository_is_trusted(
    bench: Bench, tmp_path: Path, trusted: bool
) -> None:
    stand = Stand(CODEX, bench, trusted=trusted)
    mark = tmp_path / "ran"
    marker = {
        "command": sys.executable,
        "args": [str(SERVER), "${REHEARSAL_KEY}", "${NOT_SET:-else}"],
        "env": {"MARK": str(mark)},
    }
    servers = {"marker": marker, "gone": {"command": "no-such-server"}}
    (stand.worktree / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    async with stand.agent() as driver:
        end = await driver.turn(stand.say({"text": "here"}))
        assert end.outcome == "done", end
        if trusted:
            await asyncio.to_thread(eventually, lambda: mark.exists() and mark.read_text())
            assert mark.read_text() == "dummy else"
    assert mark.exists() is trusted
    said = [note.text for note in driver.all(NoteMade) if ".mcp.json" in note.text]
    missing = "the tool server gone of .mcp.json is left out: there is no 'no-such-server'"
    assert said == ([missing] if trusted else [])
