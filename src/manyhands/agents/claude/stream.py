"""Claude Code's messages as events and live frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from manyhands.agents.bounded import tool_called, tool_finished
from manyhands.agents.claude import sdk
from manyhands.agents.claude.todos import Todos
from manyhands.agents.claude.turn import Turn
from manyhands.agents.claude.usage import ClaudeMeter, ClaudeWindow, Estimates
from manyhands.agents.protocol import Host, Workplace
from manyhands.model import events as e
from manyhands.model.ids import MessageId
from manyhands.model.live import TextDelta


class ClaudeStream:
    """Follows one process; a block has the same message id in its deltas and in its event."""

    def __init__(
        self,
        host: Host,
        workplace: Workplace,
        meter: ClaudeMeter,
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
        self._window = ClaudeWindow()
        self._tools: dict[str, str] = {}
        self._blocks: dict[str, int] = {}
        self._message = ""
        self._index = 0
        self._offset = 0

    def take(self, message: sdk.Message) -> None:
        match message:
            case sdk.StreamEvent():
                self._take_delta(message)
            case sdk.AssistantMessage():
                self._take_blocks(message)
            case sdk.UserMessage():
                self._take_results(message)
            case sdk.ResultMessage():
                self._take_result(message)
            case sdk.SystemMessage(subtype="session_state_changed"):
                self._emit(self._turn.state(str(message.data.get("state", ""))))
            case sdk.SystemMessage(subtype="status"):
                self._on_mode(str(message.data.get("permissionMode", "")))
            case sdk.SystemMessage(subtype="api_retry"):
                status = int(message.data.get("error_status") or 0)
                self._host.emit(e.AgentRetried(text=_retry(message.data), status=status))
            case sdk.SystemMessage(subtype="compact_boundary"):
                self._emit(self._window.compacted(message.data))
            case sdk.RateLimitEvent(rate_limit_info=info) if info.status == "rejected":
                self._turn.limited_until(info.resets_at)
            case _:
                pass

    def _take_result(self, message: sdk.ResultMessage) -> None:
        self.settle(message.model_usage or {})
        self._emit(self._window.result(message.model_usage))
        self._emit(self._turn.result(message))

    def settle(self, totals: Mapping[str, Any]) -> None:
        """What was used so far is known exactly."""
        if totals:
            self._emit([*self._estimates.settle(), *self._meter.read(totals)])

    def _emit(self, events: Sequence[e.AnyEvent]) -> None:
        for event in events:
            if isinstance(event, e.TurnFinished):
                event = msgspec.structs.replace(event, mark=self._mark)
            self._host.emit(event)

    def _take_delta(self, message: sdk.StreamEvent) -> None:
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

    def _take_blocks(self, message: sdk.AssistantMessage) -> None:
        if message.error is not None:
            # The program speaks for the model here; the turn's end carries the same words.
            return
        parent = message.parent_tool_use_id or ""
        if message.uuid and not parent:
            self._mark = message.uuid
        for block in message.content:
            match block:
                case sdk.TextBlock(text=text):
                    self.last_text = text if not parent else self.last_text
                    id = self._block_id(message)
                    self._host.emit(e.AgentMessage(message=id, text=text, parent=parent))
                case sdk.ThinkingBlock(thinking=text):
                    id = self._block_id(message)
                    if text:
                        self._host.emit(e.AgentThought(message=id, text=text, parent=parent))
                case sdk.ToolUseBlock():
                    self._block_id(message)
                    self._call(block, parent)
        self._emit([*self._estimates.take(message), *self._window.message(message)])

    def _block_id(self, message: sdk.AssistantMessage) -> MessageId:
        name = message.message_id or message.uuid or ""
        counted = self._blocks.pop(name, 0)
        self._blocks[name] = counted + 1
        if len(self._blocks) > 100:
            del self._blocks[next(iter(self._blocks))]
        streamed = name == self._message and not message.parent_tool_use_id
        return _message_id(name, self._index if streamed else counted)

    def _call(self, block: sdk.ToolUseBlock, parent: str) -> None:
        self._tools[block.id] = block.name
        if not parent:
            self._todos.called(block.id, block.name, block.input)
        self._host.emit(tool_called(block.id, block.name, block.input, parent))

    def _take_results(self, message: sdk.UserMessage) -> None:
        blocks = message.content if isinstance(message.content, list) else []
        for block in blocks:
            if not isinstance(block, sdk.ToolResultBlock):
                continue
            call, text, failed = block.tool_use_id, result_text(block.content), bool(block.is_error)
            tool, parent = self._tools.pop(call, ""), message.parent_tool_use_id or ""
            self._host.emit(tool_finished(call, tool, text, is_error=failed, parent=parent))
            self._emit(self._todos.finished(call, text, failed, message.tool_use_result))


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
