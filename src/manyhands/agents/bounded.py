"""What is kept of tool calls and carried of attached files: enough to read, within a bound."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from manyhands.errors import AgentFailed
from manyhands.model.agent.events import Attachment
from manyhands.model.events import (
    AgentCommand,
    CommandsListed,
    Todo,
    TodoState,
    ToolCalled,
    ToolFinished,
)

KEPT_BYTES = 64 * 1024
MOST_COMMANDS = 300


def commands_listed(named: Iterable[tuple[str, str]]) -> CommandsListed:
    """Slash commands and skills, each with the beginning of what it says of itself."""
    found = [AgentCommand(name, brief(about)) for name, about in islice(named, MOST_COMMANDS)]
    return CommandsListed(commands=tuple(found))


def todo(text: str, status: object) -> Todo:
    """As agents tell it of a step on their lists."""
    states: dict[object, TodoState] = {"in_progress": "doing", "completed": "done"}
    return Todo(text, states.get(status, "pending"))


def tool_called(call: str, tool: str, input: dict[str, Any], parent: str = "") -> ToolCalled:
    kept, size = bounded_input(input)
    return ToolCalled(call=call, tool=tool, input=kept, input_bytes=size, parent=parent)


def tool_finished(
    call: str, tool: str, output: str, *, is_error: bool, parent: str = ""
) -> ToolFinished:
    return ToolFinished(
        call=call,
        tool=tool,
        output=cut(output),
        output_bytes=len(output.encode("utf-8", "replace")),
        is_error=is_error,
        parent=parent,
    )


def bounded_input(input: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The input with its long texts cut, and its full size."""
    size = len(json.dumps(input, ensure_ascii=False).encode("utf-8", "replace"))
    if size <= KEPT_BYTES:
        return input, size
    share = KEPT_BYTES // max(1, len(input))
    return {
        key: cut(value if isinstance(value, str) else json.dumps(value), share)
        for key, value in input.items()
    }, size


def cut(text: str, limit: int = KEPT_BYTES) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[:limit].decode("utf-8", "ignore")


def brief(text: str, limit: int = 80) -> str:
    """The beginning of a text, on one line."""
    words = " ".join(text.split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def naming(text: str, attachments: Sequence[Attachment]) -> str:
    """The message, with the files named by their paths."""
    named = [f"- {a.name}: {a.path}" for a in attachments]
    return text + "\n\nAttached files:\n" + "\n".join(named) if named else text


def load_encoded(attachment: Attachment) -> str:
    return base64.b64encode(load_attached(attachment)).decode()


def load_attached(attachment: Attachment) -> bytes:
    try:
        return Path(attachment.path).read_bytes()
    except OSError as error:
        raise AgentFailed(
            f"the attached file {attachment.name} cannot be read: {error.strerror}",
            hint="attach it again",
        ) from error
