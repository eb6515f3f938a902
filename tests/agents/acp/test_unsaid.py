"""A call that does not say what it runs is put to a person, whatever its title reads like."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from manyhands.agents.permission.permits import Permits
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.events import AgentMessage
from manyhands.model.ids import fresh_id
from manyhands.model.wire import AgentSpec
from tests.support import told_agent
from tests.support.agent_driver import driven, workplace
from tests.support.told_agent import tell


async def allow(item: Attention) -> Resolution:
    return Resolution(options=("allow",))


@pytest.mark.parametrize(
    ("kind", "title", "tool"),
    [("execute", "echo done", "Bash"), ("fetch", "http://127.0.0.1/", "WebFetch")],
)
async def test_a_title_is_no_command_and_no_address(
    tmp_path: Path, kind: str, title: str, tool: str
) -> None:
    session = fresh_id()
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "MANYHANDS_SESSION": session}
    command = (sys.executable, told_agent.__file__)
    spec = AgentSpec(name="told", kind="acp", command=command, env=env)
    asked = {"toolCallId": "1", "title": title, "kind": kind}
    permits = Permits(session={Rule("Bash", kind="tool"), Rule("WebFetch", kind="tool")})
    at = workplace(session, tmp_path, True, None)
    async with driven(spec, at, permits, "auto", allow, "") as driver:
        await driver.turn(tell({"ask": asked}))
        [item] = driver.asked
        [said] = driver.all(AgentMessage)
    assert item.summary == f"{tool}: {title} (the agent does not say what exactly it is)"
    # Whatever was allowed for good would hold for anything of the same title.
    assert [option.id for option in item.options] == ["allow", "deny"]
    assert said.text == "It was allow_once."
