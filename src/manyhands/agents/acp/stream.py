"""An agent's session updates as events and live frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from acp import schema

from manyhands.agents.acp.calls import AcpCall, Calls
from manyhands.agents.acp.usage import AcpMeter
from manyhands.agents.bounded import (
    bounded_input,
    commands_listed,
    cut,
    todo,
    tool_called,
    tool_finished,
)
from manyhands.agents.known import Quirks
from manyhands.agents.protocol import Host, Workplace
from manyhands.agents.usage import ContextWindow
from manyhands.model import events as e
from manyhands.model.ids import MessageId, fresh_id
from manyhands.model.live import TextDelta, ToolProgress

SPEAKING = (
    schema.AgentMessageChunk,
    schema.AgentThoughtChunk,
    schema.ToolCallStart,
    schema.ToolCallProgress,
    schema.AgentPlanUpdate,
)
LONGEST_MESSAGE = 256 * 1024
"""Characters, give or take one piece; what is said beyond them is the next message."""
NOT_FINISHED = "The turn ended before this was finished."


class AcpStream:
    """Follows one session. Text is gathered until something else comes, then told whole."""

    def __init__(
        self,
        host: Host,
        workplace: Workplace,
        quirks: Quirks,
        on_options: Callable[[list[Any]], None],
    ) -> None:
        self.calls = Calls()
        self.meter = AcpMeter(None, per_turn=quirks.usage_per_turn)
        self.last_text = ""
        self.muted = True
        """Before the agent is up, and while an old dialogue is played back: it is in our log."""
        self._commands: e.CommandsListed | None = None
        self._window = ContextWindow()
        self._host = host
        self._workplace = workplace
        self._quirks = quirks
        self._on_options = on_options
        self._source = ""
        self._message = MessageId("")
        self._thinking = False
        self._text = ""
        self._failing = False
        self._error = ""
        self.silent = True
        """Whether nothing came of the running turn: not a word, not a call, nothing used."""
        self._ended: AcpCall | None = None
        """A call that is over, and did not say yet what it changed: the next piece may."""

    def take(self, update: Any) -> None:
        match update:
            case schema.ConfigOptionUpdate():
                self._on_options(update.config_options)
            case schema.AvailableCommandsUpdate():
                self._take_commands(update)
            case _ if not self.muted:
                self._take_dialogue(update)

    def _take_commands(self, update: schema.AvailableCommandsUpdate) -> None:
        named = ((each.name, each.description) for each in update.available_commands)
        self._commands = commands_listed(named)
        if not self.muted:
            self._host.emit(self._commands)

    def open(self) -> None:
        """The agent is up: from here on all that it says is news."""
        self.muted = False
        if self._commands:
            self._host.emit(self._commands)

    def _take_dialogue(self, update: Any) -> None:
        if not (isinstance(update, schema.ToolCallProgress) and self._is_ended(update)):
            self._tell_ended()
        self.silent = self.silent and not isinstance(update, SPEAKING)
        match update:
            case schema.AgentMessageChunk():
                self._take_text(update, thinking=False)
            case schema.AgentThoughtChunk():
                self._take_text(update, thinking=True)
            case schema.ToolCallStart() | schema.ToolCallProgress():
                self._flush_text()
                if call := self.calls.add(update):
                    self.tell_call(call)
            case schema.AgentPlanUpdate():
                self._host.emit(todos(update.entries))
            case schema.UsageUpdate():
                self._take_usage(update)
            case schema.SessionInfoUpdate():
                self._take_info(update)

    def _take_usage(self, update: schema.UsageUpdate) -> None:
        if record := self.meter.read_cost(update):
            self.silent = False
            self._host.emit(record)
        for measured in self._window.take(update.used, update.size):
            self._host.emit(measured)

    def end(self) -> str:
        """The turn is over; what went wrong in it, if the agent told us in passing."""
        self.flush()
        for call in self.calls.take_all():
            self._tell_begun(call)
            self._host.emit(self._end_of(call, NOT_FINISHED, is_error=True))
        for measured in self._window.rest():
            self._host.emit(measured)
        error, self._error, self._failing = self._error, "", False
        return error

    def _take_text(self, chunk: schema.ContentChunk, *, thinking: bool) -> None:
        text = chunk.content.text if isinstance(chunk.content, schema.TextContentBlock) else ""
        if not text:
            return
        if self._quirks.unsigned_text and not chunk.message_id and not thinking:
            self._take_unsigned(text)
            return
        source = f"{chunk.message_id or ''}/{thinking}"
        if source != self._source or not self._text:
            self._flush_text()
            self._source, self._thinking = source, thinking
            self._message = MessageId(f"{chunk.message_id or 'said'}.{fresh_id()}")
        self._host.live(
            TextDelta(
                session=self._workplace.session,
                conversation=self._workplace.conversation,
                message=self._message,
                offset=len(self._text),
                text=text,
                thinking=thinking,
            )
        )
        self._text += text
        if len(self._text) >= LONGEST_MESSAGE:
            self._flush_text()

    def _take_unsigned(self, text: str) -> None:
        if self._failing:
            self._error = f"{self._error} {text.strip()}".strip()
        else:
            self._host.emit(e.NoteMade(text=text.strip()))

    def flush(self) -> None:
        """Tell what was gathered so far."""
        self._tell_ended()
        self._flush_text()

    def _flush_text(self) -> None:
        text, self._text = self._text, ""
        if not text.strip():
            return
        if self._thinking:
            self._host.emit(e.AgentThought(message=self._message, text=text.strip()))
        else:
            self.last_text = text
            self._host.emit(e.AgentMessage(message=self._message, text=text))

    def _take_info(self, update: schema.SessionInfoUpdate) -> None:
        """Codex says here, and only here, that a turn fails."""
        status = ((update.field_meta or {}).get("codex") or {}).get("threadStatus") or {}
        self._failing = self._failing or status.get("type") == "systemError"

    def tell_call(self, call: AcpCall, *, asked: bool = False) -> None:
        """A call that has begun, or is asked for, is told once; so is its end."""
        if asked or call.begun:
            self._tell_begun(call)
        if call.over:
            self._ended = call
            if not call.names_nothing:
                self._tell_ended()
        elif call.told and call.output:
            self._host.live(self._progress(call))

    def _tell_begun(self, call: AcpCall) -> None:
        if call.told is None:
            call.told = call.gist
            called = tool_called(call.id, call.tool, call.input)
            self._host.emit(msgspec.structs.replace(called, at=call.heard_at))

    def _is_ended(self, update: schema.ToolCallProgress) -> bool:
        return self._ended is not None and self._ended.id == update.tool_call_id

    def _tell_ended(self) -> None:
        call, self._ended = self._ended, None
        if call is None:
            return
        self.calls.drop(call)
        failed = call.status == "failed"
        self._host.emit(self._end_of(call, call.output, is_error=failed))
        if call.tool == self._quirks.list_tool and not failed:
            self._host.emit(todos_of_call(call.raw))

    def _end_of(self, call: AcpCall, output: str, *, is_error: bool) -> e.ToolFinished:
        """With what the call is, where that was not known when it was told of."""
        end = tool_finished(call.id, call.tool, output, is_error=is_error)
        if call.gist == call.told:
            return end
        return msgspec.structs.replace(end, input=bounded_input(call.input)[0])

    def _progress(self, call: AcpCall) -> ToolProgress:
        return ToolProgress(
            session=self._workplace.session,
            conversation=self._workplace.conversation,
            call=call.id,
            tool=call.tool,
            text=cut(call.output),
        )


def todos(entries: Sequence[schema.PlanEntry]) -> e.TodosChanged:
    """The protocol's plan is a list of steps under way, not a plan for approval."""
    return e.TodosChanged(todos=tuple(todo(entry.content, entry.status) for entry in entries))


def todos_of_call(raw: Mapping[str, Any]) -> e.TodosChanged:
    """The same from the input of a tool that keeps the list."""
    listed = raw.get("todos")
    entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    found = [todo(str(one.get("content", "")), str(one.get("status", ""))) for one in entries]
    return e.TodosChanged(todos=tuple(found))
