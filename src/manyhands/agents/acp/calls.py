"""Tool calls as an agent tells of them, in pieces, and as we name them: one vocabulary for all.

A call is known by its id. Its title, input and locations may come with any piece, and what is
asked for permission often leaves out what an earlier piece has said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from acp import schema

Piece = schema.ToolCall | schema.ToolCallUpdate

NAMES = {
    "read": "Read",
    "search": "Grep",
    "execute": "Bash",
    "fetch": "WebFetch",
    "delete": "Delete",
    "move": "Move",
}
PATHS = ("file_path", "filePath", "filepath", "path", "file")
OVER = ("completed", "failed")


@dataclass
class AcpCall:
    id: str
    title: str = ""
    kind: str = ""
    status: str = ""
    raw: dict[str, Any] = field(default_factory=dict)
    located: tuple[str, ...] = ()
    edits: tuple[schema.FileEditToolCallContent, ...] = ()
    said: str = ""
    """The output as content blocks, always whole."""
    terminal: str = ""
    """The output as a terminal shows it, piece by piece."""
    raw_output: Any = None
    told: str = ""
    """The name under which it was told of, which no later piece changes."""

    def add(self, piece: Piece) -> None:
        self.title = piece.title or self.title
        self.kind = self.kind or piece.kind or ""
        self.status = piece.status or self.status
        if isinstance(piece.raw_input, dict):
            self.raw = {**self.raw, **piece.raw_input}
        self.located = tuple(one.path for one in piece.locations or ()) or self.located
        self._add_content(piece)
        meta = piece.field_meta or {}
        self.terminal += str((meta.get("terminal_output_delta") or {}).get("data", ""))
        if piece.raw_output is not None:
            self.raw_output = piece.raw_output

    def _add_content(self, piece: Piece) -> None:
        parts = piece.content or []
        edits = tuple(part for part in parts if isinstance(part, schema.FileEditToolCallContent))
        self.edits = edits or self.edits
        texts = [
            part.content.text
            for part in parts
            if isinstance(part, schema.ContentToolCallContent)
            and isinstance(part.content, schema.TextContentBlock)
        ]
        self.said = "\n".join(texts) or self.said

    @property
    def over(self) -> bool:
        return self.status in OVER

    @property
    def begun(self) -> bool:
        """Whether it is known what it is; a call that is only announced may have no input yet."""
        return self.status in ("in_progress", *OVER)

    @property
    def tool(self) -> str:
        if self.kind == "edit":
            return "Write" if self._is_new_file else "Edit"
        return NAMES.get(self.kind) or self.title or "tool"

    @property
    def input(self) -> dict[str, Any]:
        """In the words that our own policy and the page know a tool's input by."""
        match self.kind:
            case "execute":
                return {"command": self.command}
            case "edit":
                return self._edit_input()
            case "read" | "search" | "delete" | "move":
                return {**_without_paths(self.raw), "file_path": _first(self.paths)}
            case "fetch":
                return {**self.raw, "url": str(self.raw.get("url") or self.title)}
        return self.raw or {"title": self.title}

    @property
    def command(self) -> str:
        given = self.raw.get("command") or self.raw.get("cmd") or self.title
        return " ".join(map(str, given)) if isinstance(given, list) else str(given)

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that it names, wherever it does."""
        named = [str(self.raw[key]) for key in PATHS if self.raw.get(key)]
        return tuple(dict.fromkeys([*(edit.path for edit in self.edits), *named, *self.located]))

    @property
    def output(self) -> str:
        if self.terminal or self.said:
            return self.terminal or self.said
        if isinstance(self.raw_output, dict):
            return str(self.raw_output.get("output") or self.raw_output.get("error") or "")
        return str(self.raw_output or "")

    @property
    def _is_new_file(self) -> bool:
        if self.edits:
            return not any(edit.old_text for edit in self.edits)
        return "content" in self.raw

    def _edit_input(self) -> dict[str, Any]:
        if not self.edits:
            return {**_without_paths(self.raw), "file_path": _first(self.paths)}
        edit = self.edits[0]
        if self._is_new_file:
            return {"file_path": edit.path, "content": edit.new_text}
        old = edit.old_text or ""
        return {"file_path": edit.path, "old_string": old, "new_string": edit.new_text}


class Calls:
    """The calls of the running turn."""

    def __init__(self) -> None:
        self._calls: dict[str, AcpCall] = {}

    def add(self, piece: Piece) -> AcpCall:
        call = self._calls.setdefault(piece.tool_call_id, AcpCall(piece.tool_call_id))
        call.add(piece)
        return call

    def drop(self, call: AcpCall) -> None:
        self._calls.pop(call.id, None)

    def take_all(self) -> list[AcpCall]:
        left, self._calls = list(self._calls.values()), {}
        return left


def _without_paths(raw: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key not in PATHS}


def _first(paths: tuple[str, ...]) -> str:
    return paths[0] if paths else ""
