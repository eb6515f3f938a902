"""A turn of which nothing came is not done; whatever an agent tells of it is said as it is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from manyhands.agents.permission.permits import Permits
from manyhands.model.events import TurnFinished
from manyhands.model.ids import fresh_id
from manyhands.model.wire import AgentSpec
from tests.support import told_agent
from tests.support.agent_driver import driven, never, workplace
from tests.support.told_agent import call, said, tell


async def ended(place: Path, text: str) -> TurnFinished:
    session = fresh_id()
    env = {"PATH": "/usr/bin:/bin", "HOME": str(place), "MANYHANDS_SESSION": session}
    command = (sys.executable, told_agent.__file__)
    spec = AgentSpec(name="told", kind="acp", command=command, env=env)
    at = workplace(session, place, True, None)
    async with driven(spec, at, Permits(), "ask", never, "") as driver:
        return await driver.turn(text)


@pytest.mark.parametrize(
    ("text", "outcome", "error"),
    [
        (tell(), "failed", "without a word"),
        (tell({"error": {"code": -32603, "message": "no model"}}), "failed", "no model"),
        (tell(said("well")), "done", ""),
        (tell(call("1", title="look", status="completed")), "done", ""),
        ("/clear", "done", ""),
    ],
)
async def test_a_turn_ends_as_what_came_of_it(
    tmp_path: Path, text: str, outcome: Any, error: str
) -> None:
    end = await ended(tmp_path, text)
    assert end.outcome == outcome
    assert error in end.error
