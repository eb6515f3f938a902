"""Claude Code's messages as events and live frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from claude_agent_sdk import (
    AssistantMessage,
    Message,
    RateLimitEvent,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from manyhands.agents.bounded import bounded_input, cut
from manyhands.agents.claude_meters import Estimates, Window
from manyhands.agents.claude_todos import Todos
from manyhands.agents.claude_turn import Turn
from manyhands.agents.claude_usage import Meter
from manyhands.agents.protocol import Host, Workplace
from manyhands.model.events import (
    AgentMessage,
    AgentRetried,
    AgentThought,
    AnyEvent,
    ToolCalled,
    ToolFinished,
    TurnFinished,
)
from manyhands.model.ids import MessageId
from manyhands.model.live import TextDelta


class Stream:
    """Follows one process; a block has the same message id in its deltas and in its event."""

    def __init__(
        self,
        host: Host,
        workplace: Workplace,
        meter: Meter,
        turn: Turn,
        *,
        on_mode: Callable[[str], None],
        todos: Todos,
        estimates: Estimates,
    ) -> None:
        self.last_text = ""
        self._mark = ""
        self._on_mode = on_mode
        self._host = host
        self._workplace = workplace
        self._meter = meter
        self._turn = turn
        self._todos = todos
        self._estimates = estimates
        self._window = Window()
        self._tools: dict[str, str] = {}
        self._blocks: dict[str, int] = {}
        self._message = ""
        self._index = 0
        self._offset = 0

    def take(self, message: Message) -> None:
        match message:
            case StreamEvent():
                self._take_delta(message)
            case AssistantMessage():
                self._take_blocks(message)
            case UserMessage():
                self._take_results(message)
            case ResultMessage():
                self._take_result(message)
            case SystemMessage(subtype="session_state_changed"):
                self._emit(self._turn.state(str(message.data.get("state", ""))))
            case SystemMessage(subtype="status"):
                self._on_mode(str(message.data.get("permissionMode", "")))
            case SystemMessage(subtype="api_retry"):
                status = int(message.data.get("error_status") or 0)
                self._host.emit(AgentRetried(text=_retry(message.data), status=status))
            case SystemMessage(subtype="compact_boundary"):
                self._emit(self._window.compacted(message.data))
            case RateLimitEvent(rate_limit_info=info) if info.status == "rejected":
                self._turn.limited_until(info.resets_at)
            case _:
                pass

    def _take_result(self, message: ResultMessage) -> None:
        if message.model_usage:
            self._emit([*self._estimates.settle(), *self._meter.read(message.model_usage)])
        self._emit(self._window.result(message.model_usage))
        self._emit(self._turn.result(message))

    def _emit(self, events: Sequence[AnyEvent]) -> None:
        for event in events:
            if isinstance(event, TurnFinished):
                event = msgspec.structs.replace(event, mark=self._mark)
            self._host.emit(event)

    def _take_delta(self, message: StreamEvent) -> None:
        event = message.event
        match event.get("type"):
            case "message_start":
                self._emit(self._turn.activity())
                self._message = str(event["message"]["id"])
            case "content_block_start":
                self._index, self._offset = int(event["index"]), 0
            case "content_block_delta":
                self._take_text(event["delta"], message.parent_tool_use_id or "")

    def _take_text(self, delta: dict[str, Any], parent: str) -> None:
        thinking = delta.get("type") == "thinking_delta"
        text = str(delta.get("thinking" if thinking else "text", ""))
        if not text:
            return
        frame = TextDelta(
            session=self._workplace.session,
            conversation=self._workplace.conversation,
            message=_message_id(self._message, self._index),
            offset=self._offset,
            text=text,
            thinking=thinking,
            parent=parent,
        )
        self._offset += len(text)
        self._host.live(frame)

    def _take_blocks(self, message: AssistantMessage) -> None:
        if message.error is not None:
            # The program speaks for the model here; the turn's end carries the same words.
            return
        parent = message.parent_tool_use_id or ""
        if message.uuid and not parent:
            self._mark = message.uuid
        for block in message.content:
            match block:
                case TextBlock(text=text):
                    self.last_text = text if not parent else self.last_text
                    id = self._block_id(message)
                    self._host.emit(AgentMessage(message=id, text=text, parent=parent))
                case ThinkingBlock(thinking=text):
                    id = self._block_id(message)
                    if text:
                        self._host.emit(AgentThought(message=id, text=text, parent=parent))
                case ToolUseBlock():
                    self._block_id(message)
                    self._call(block, parent)
        self._emit([*self._estimates.take(message), *self._window.take(message)])

    def _block_id(self, message: AssistantMessage) -> MessageId:
        name = message.message_id or message.uuid or ""
        counted = self._blocks.pop(name, 0)
        self._blocks[name] = counted + 1
        if len(self._blocks) > 100:
            del self._blocks[next(iter(self._blocks))]
        streamed = name == self._message and not message.parent_tool_use_id
        return _message_id(name, self._index if streamed else counted)

    def _call(self, block: ToolUseBlock, parent: str) -> None:
        self._tools[block.id] = block.name
        if not parent:
            self._todos.called(block.id, block.name, block.input)
        kept, size = bounded_input(block.input)
        self._host.emit(
            ToolCalled(call=block.id, tool=block.name, input=kept, input_bytes=size, parent=parent)
        )

    def _take_results(self, message: UserMessage) -> None:
        blocks = message.content if isinstance(message.content, list) else []
        for block in blocks:
            if not isinstance(block, ToolResultBlock):
                continue
            text = result_text(block.content)
            self._host.emit(
                ToolFinished(
                    call=block.tool_use_id,
                    tool=self._tools.pop(block.tool_use_id, ""),
                    output=cut(text),
                    output_bytes=len(text.encode("utf-8", "replace")),
                    is_error=bool(block.is_error),
                    parent=message.parent_tool_use_id or "",
                )
            )
            failed, result = bool(block.is_error), message.tool_use_result
            self._emit(self._todos.finished(block.tool_use_id, text, failed, result))


def _message_id(message: str, index: int) -> MessageId:
    return MessageId(f"{message}.{index}")


def result_text(content: str | list[dict[str, Any]] | None) -> str:
    """A tool's output as text; what is not text is named by its kind."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(part.get("text", f"[{part.get('type', 'data')}]")) for part in content)


def _retry(data: dict[str, Any]) -> str:
    reason = data.get("error_status") or "not at all"
    what = f" ({data['error']})" if data.get("error") else ""
    attempt = f"{data.get('attempt', '?')} of {data.get('max_retries', '?')}"
    return f"the model answered {reason}{what}; trying again, {attempt}"
