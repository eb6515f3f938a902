"""Claude Code's own record of a dialogue, as it grows."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from manyhands.agents.claude import history
from manyhands.agents.claude.history import recall, transcript_size, wait_for_prompt
from manyhands.model.agent.conversation import Heard, Message
from manyhands.model.ids import AgentSessionId, MessageId

QUEUED = {"type": "queue-operation", "operation": "enqueue", "content": "Build it."}
SNAPSHOT = {"type": "attachment", "attachment": {"type": "environment"}}


def said(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


GIVEN_BACK = said([{"type": "tool_result", "content": "done"}])
SUBAGENT = said("Look around.", isSidechain=True)


class Record:
    def __init__(self, config: Path) -> None:
        self.config = config
        self.file = config / "projects" / "-a-b" / "s.jsonl"

    def append(self, *entries: dict[str, Any]) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as lines:
            lines.writelines(json.dumps(entry) + "\n" for entry in entries)

    async def holds(self, since: int = 0) -> bool:
        return await wait_for_prompt(self.config, "s", since)


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    monkeypatch.setattr(history, "PATIENCE_SECONDS", 0.0)
    return Record(tmp_path)


async def test_a_message_is_on_record_once_it_is_more_than_queued(record: Record) -> None:
    assert not await record.holds()
    record.append(QUEUED, SNAPSHOT, SUBAGENT)
    assert not await record.holds()
    record.append(said("Build it."))
    assert await record.holds()


@pytest.mark.parametrize("content", ["Test it.", [{"type": "text", "text": "Test it."}]])
async def test_what_was_said_before_and_what_tools_gave_back_do_not_count(
    record: Record, content: object
) -> None:
    record.append(said("Build it."))
    since = transcript_size(record.config, "s")
    assert not await record.holds(since)
    record.append(GIVEN_BACK)
    assert not await record.holds(since)
    record.append(said(content))
    assert await record.holds(since)


async def test_a_message_that_comes_late_is_waited_for(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PATIENCE_SECONDS", 120.0)

    record.append(QUEUED)
    waiting = asyncio.create_task(record.holds())
    await asyncio.sleep(0)  # it has looked once
    record.append(said("Build it."))
    assert await waiting


def told(*texts: str, since: str = "") -> Heard:
    return Heard(tuple(Message(MessageId(text), text) for text in texts), since)


def lost(record: Record, told: Heard) -> list[str]:
    found = recall(record.config, AgentSessionId("s"), told)
    assert found.resumes
    return [message.text for message in found.lost]


def test_what_was_said_is_recalled_however_it_was_noted(record: Record) -> None:
    queued = {"type": "queued_command", "prompt": "And test it."}
    record.append(said("Build it."), {"type": "attachment", "attachment": queued})
    record.append(said([{"type": "text", "text": "See this.\n\nAttached files:\n- a"}]))
    assert lost(record, told("Build it.", " And test it.\n", "See this.", "/compact")) == []
    assert lost(record, told("Build it.", "Paint it.")) == ["Paint it."]


def test_words_of_an_earlier_turn_are_not_taken_for_this_ones(record: Record) -> None:
    record.append(said("Go on."), {"type": "assistant", "uuid": "m1"}, QUEUED, SNAPSHOT)
    assert lost(record, told("Go on.", since="m1")) == ["Go on."]
    record.append(said("Go on."))
    assert lost(record, told("Go on.", since="m1")) == []


def test_from_a_record_without_a_word_nothing_is_resumed(record: Record) -> None:
    assert recall(record.config, AgentSessionId("s"), told("Build it.")).resumes
    record.append(QUEUED, SNAPSHOT, SUBAGENT)
    found = recall(record.config, AgentSessionId("s"), told("Build it."))
    assert not found.resumes
    assert [message.text for message in found.lost] == ["Build it."]
