"""An agent's session updates as events and live frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    ContentChunk,
    SessionInfoUpdate,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    UsageUpdate,
)

from manyhands.agents.acp import offers
from manyhands.agents.acp.calls import Call, Calls
from manyhands.agents.acp.quirks import Quirks
from manyhands.agents.acp.usage import Meter
from manyhands.agents.acp.window import Window
from manyhands.agents.bounded import bounded_input, cut
from manyhands.agents.protocol import Host, Workplace
from manyhands.model.events import (
    AgentMessage,
    AgentThought,
    CommandsListed,
    NoteMade,
    ToolCalled,
    ToolFinished,
)
from manyhands.model.ids import MessageId, fresh_id
from manyhands.model.live import TextDelta, ToolProgress

NOT_FINISHED = "The turn ended before this was finished."


class Stream:
    """Follows one session. Text is gathered until something else comes, then told whole."""

    def __init__(
        self,
        host: Host,
        workplace: Workplace,
        quirks: Quirks,
        on_options: Callable[[list[Any]], None],
    ) -> None:
        self.calls = Calls()
        self.meter = Meter(None, per_turn=quirks.usage_per_turn)
        self.last_text = ""
        self.muted = True
        """Before the agent is up, and while an old dialogue is played back: it is in our log."""
        self._commands: CommandsListed | None = None
        self._window = Window()
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

    def take(self, update: Any) -> None:
        match update:
            case ConfigOptionUpdate():
                self._on_options(update.config_options)
            case AvailableCommandsUpdate():
                self._take_commands(update)
            case _ if not self.muted:
                self._take_dialogue(update)

    def _take_commands(self, update: AvailableCommandsUpdate) -> None:
        self._commands = offers.commands(update.available_commands)
        if not self.muted:
            self._host.emit(self._commands)

    def open(self) -> None:
        """The agent is up: from here on all that it says is news."""
        self.muted = False
        if self._commands:
            self._host.emit(self._commands)

    def _take_dialogue(self, update: Any) -> None:
        match update:
            case AgentMessageChunk():
                self._take_text(update, thinking=False)
            case AgentThoughtChunk():
                self._take_text(update, thinking=True)
            case ToolCallStart() | ToolCallProgress():
                self.flush()
                self.tell_call(self.calls.add(update))
            case AgentPlanUpdate():
                self._host.emit(offers.todos(update.entries))
            case UsageUpdate():
                self._take_usage(update)
            case SessionInfoUpdate():
                self._take_info(update)

    def _take_usage(self, update: UsageUpdate) -> None:
        if record := self.meter.read_cost(update):
            self._host.emit(record)
        for measured in self._window.take(update):
            self._host.emit(measured)

    def end(self) -> str:
        """The turn is over; what went wrong in it, if the agent told us in passing."""
        self.flush()
        for call in self.calls.take_all():
            if call.told:
                self._finish(call, NOT_FINISHED, is_error=True)
        for measured in self._window.rest():
            self._host.emit(measured)
        error, self._error, self._failing = self._error, "", False
        return error

    def _take_text(self, chunk: ContentChunk, *, thinking: bool) -> None:
        text = chunk.content.text if isinstance(chunk.content, TextContentBlock) else ""
        if not text:
            return
        if self._quirks.unsigned_text and not chunk.message_id and not thinking:
            self._take_unsigned(text)
            return
        source = f"{chunk.message_id or ''}/{thinking}"
        if source != self._source or not self._text:
            self.flush()
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

    def _take_unsigned(self, text: str) -> None:
        if self._failing:
            self._error = f"{self._error} {text.strip()}".strip()
        else:
            self._host.emit(NoteMade(text=text.strip()))

    def flush(self) -> None:
        """Tell the text that was gathered so far."""
        text, self._text = self._text, ""
        if not text.strip():
            return
        if self._thinking:
            self._host.emit(AgentThought(message=self._message, text=text.strip()))
        else:
            self.last_text = text
            self._host.emit(AgentMessage(message=self._message, text=text))

    def _take_info(self, update: SessionInfoUpdate) -> None:
        """Codex says here, and only here, that a turn fails."""
        status = ((update.field_meta or {}).get("codex") or {}).get("threadStatus") or {}
        self._failing = self._failing or status.get("type") == "systemError"

    def tell_call(self, call: Call, *, asked: bool = False) -> None:
        """A call that has begun, or is asked for, is told once; so is its end."""
        if not call.told and (asked or call.begun):
            call.told = call.tool
            kept, size = bounded_input(call.input)
            self._host.emit(ToolCalled(call=call.id, tool=call.told, input=kept, input_bytes=size))
        if call.over:
            self.calls.drop(call)
            self._finish(call, call.output, is_error=call.status == "failed")
            if call.told and call.told == self._quirks.list_tool and call.status == "completed":
                self._host.emit(offers.todos_of_call(call.raw))
        elif call.told and call.output:
            self._host.live(self._progress(call))

    def _progress(self, call: Call) -> ToolProgress:
        return ToolProgress(
            session=self._workplace.session,
            conversation=self._workplace.conversation,
            call=call.id,
            tool=call.told,
            text=cut(call.output),
        )

    def _finish(self, call: Call, output: str, *, is_error: bool) -> None:
        self._host.emit(
            ToolFinished(
                call=call.id,
                tool=call.told,
                output=cut(output),
                output_bytes=len(output.encode("utf-8", "replace")),
                is_error=is_error,
            )
        )
