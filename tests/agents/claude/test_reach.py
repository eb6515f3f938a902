"""What reaches Claude Code beside plain words: files by mention, and effort by a private way."""

from __future__ import annotations

import pytest

from manyhands.agents.claude.agent import SENDER, send_effort
from manyhands.agents.claude.sdk import ClaudeSDKClient
from manyhands.errors import AgentFailed
from manyhands.model.events import AgentMessage
from tests.support.agent_driver import Bench, script


async def test_a_mentioned_file_goes_along_with_the_words(bench: Bench) -> None:
    (bench.worktree / "notes").mkdir()
    (bench.worktree / "notes" / "a b.txt").write_text("the password is swordfish\n")
    told = {"text": "It is $WORD.", "subst": {"$WORD": r"the password is (\w+)"}}
    async with bench.agent() as driver:
        await driver.turn(script(told, words='Look at @"notes/a b.txt" first.'))
    assert [m.text for m in driver.all(AgentMessage)] == ["It is swordfish."]
    assert driver.asked == []


def test_the_sdk_sends_control_requests_as_we_know_it() -> None:
    # Only now: it is loaded as we load it, without what it brings along.
    from claude_agent_sdk._internal.query import Query

    assert callable(getattr(Query, SENDER, None)), "mend agents/claude_effort.py for this SDK"
    assert not hasattr(ClaudeSDKClient, "set_effort"), "the SDK has a public way now: use it"


async def test_an_sdk_without_that_way_says_so() -> None:
    with pytest.raises(AgentFailed, match="cannot change the effort"):
        await send_effort(ClaudeSDKClient(), "low")
