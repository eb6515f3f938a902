"""What Claude Code notes of a dialogue that a person leads in it, as events.

A prompt begins a turn, and an answer that calls no tool ends it. What the program notes for itself,
and what its sub-agents say to each other, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from manyhands.agents.claude import sdk
from manyhands.agents.claude.stream import ClaudeStream
from manyhands.agents.protocol import Host
from manyhands.model import events as e
from manyhands.model.ids import AgentSessionId, MessageId, fresh_id
from manyhands.model.wire import AgentSpec

STOPPED = "[Request interrupted by user"
SYNTHETIC = "<synthetic>"
"""What the program says in the model's name, as to have an answer after an interrupt."""
GOES_ON = (None, "", "tool_use", "pause_turn")
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_GIVEN = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_OWN = ("<local-command", "<bash-", "<task-", "<system-reminder", "Caveat:")
"""How notes begin that stand where a person's words would."""


class Recorded:
    def __init__(
        self,
        host: Host,
        stream: ClaudeStream,
        spec: AgentSpec,
        id: AgentSessionId,
        *,
        known: bool,
    ) -> None:
        self.stream = stream
        self._host = host
        self._spec = spec
        self._id = id
        self._in_turn = False
        self._answered = False
        self._error = ""
        self._last = self._mark = ""
        self._is_known = known

    def take(self, entry: dict[str, Any]) -> None:
        message = entry.get("message")
        if entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary"):
            return
        match entry.get("type"):
            case "assistant" if isinstance(message, dict):
                self._take_answer(entry, message)
            case "user" if isinstance(message, dict):
                self._take_words(entry, message.get("content"))
            case "attachment":
                queued = entry.get("attachment")
                if isinstance(queued, dict) and queued.get("type") == "queued_command":
                    self._said(str(queued.get("prompt", "")), entry, begins=False)

    def rest(self) -> None:
        """Nothing more is there for now: what was answered in full is over."""
        if self._answered:
            self._finish("failed" if self._error else "done", self._error)

    def cut_off(self) -> None:
        """No more will come."""
        self.rest()
        self._finish("interrupted")

    def _take_answer(self, entry: dict[str, Any], message: dict[str, Any]) -> None:
        if message.get("model") == SYNTHETIC and not entry.get("isApiErrorMessage"):
            return
        id, usage = str(message.get("id", "")), message.get("usage")
        if not self._in_turn and id != self._last:
            self._begin()
        self._last, self._mark = id, str(entry.get("uuid") or self._mark)
        blocks = list(_blocks(message.get("content")))
        self._error = ""
        if entry.get("isApiErrorMessage"):
            said = (block.text for block in blocks if isinstance(block, sdk.TextBlock))
            self._error = " ".join(said) or "the model did not answer"
        self.stream.take(
            sdk.AssistantMessage(
                content=[] if self._error else blocks,
                model=str(message.get("model", "")),
                usage=usage if isinstance(usage, dict) and not self._error else None,
                message_id=id,
                uuid=str(entry.get("uuid", "")),
            )
        )
        self._answered = self._in_turn and message.get("stop_reason") not in GOES_ON

    def _take_words(self, entry: dict[str, Any], content: object) -> None:
        results = list(_results(content))
        if results:
            changed = entry.get("toolUseResult")
            told = changed if isinstance(changed, dict) else None
            self.stream.take(sdk.UserMessage(content=[*results], tool_use_result=told))
            return
        text = _text(content)
        if text.startswith(STOPPED):
            self._finish("interrupted")
        elif command := _COMMAND.search(text):
            given = _GIVEN.search(text)
            words = f"{command[1]} {given[1] if given else ''}".strip()
            self._said(words, entry, begins=False)
        elif text.strip() and not text.startswith(_OWN):
            self._said(text, entry, begins=True)

    def _said(self, text: str, entry: dict[str, Any], *, begins: bool) -> None:
        self.rest()
        id = MessageId(str(entry.get("uuid") or fresh_id()))
        self._host.emit(e.MessageTyped(message=id, text=text))
        if begins and not self._in_turn:
            self._begin()

    def _begin(self) -> None:
        """From here on it is this dialogue that the session goes on with."""
        if not self._is_known:
            self._is_known = True
            self._tell_of_it()
        self._in_turn, self._answered, self._error = True, False, ""
        self._host.emit(e.TurnStarted())

    def _tell_of_it(self) -> None:
        spec = self._spec
        self._host.emit(
            e.AgentStarted(
                agent=spec.name, agent_session=self._id, pid=0, model=spec.model, resumed=True
            )
        )

    def _finish(self, outcome: e.Outcome, error: str = "") -> None:
        if self._in_turn:
            self._in_turn = self._answered = False
            self._host.emit(e.TurnFinished(outcome=outcome, error=error, mark=self._mark))


def _blocks(content: object) -> Iterator[sdk.ContentBlock]:
    for part in content if isinstance(content, list) else ():
        match part:
            case {"type": "text", "text": str(text)}:
                yield sdk.TextBlock(text)
            case {"type": "thinking", "thinking": str(text)}:
                yield sdk.ThinkingBlock(text, "")
            case {"type": "tool_use", "id": str(id), "name": str(name), "input": dict(given)}:
                yield sdk.ToolUseBlock(id, name, given)


def _results(content: object) -> Iterator[sdk.ToolResultBlock]:
    for part in content if isinstance(content, list) else ():
        match part:
            case {"type": "tool_result", "tool_use_id": str(id)}:
                said = part.get("content")
                if isinstance(said, list):
                    said = [one for one in said if isinstance(one, dict)]
                elif not isinstance(said, str):
                    said = None
                yield sdk.ToolResultBlock(id, said, bool(part.get("is_error")))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    found = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in found if isinstance(text, str))
