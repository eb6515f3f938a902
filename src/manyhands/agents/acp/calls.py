"""Tool calls as an agent tells of them, in pieces, and as we name them: one vocabulary for all.

A call is known by its id. Its title, input and locations may come with any piece, the last one
included, and what is asked for permission often leaves out what an earlier piece has said.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import Any

from acp import schema

from manyhands.model.clock import Instant, now

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
CHANGING = ("edit", "delete", "move")
Gist = tuple[str, tuple[str, ...], str]
"""What a call is: its tool, every file that it names, its command."""


@dataclass
class AcpCall:
    id: str
    title: str = ""
    name: str = ""
    """Its first title: later ones may tell of its outcome."""
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
    told: Gist | None = None
    """What it was when it was told of; a later piece may make more of it."""
    heard_at: Instant = field(default_factory=now)
    """When the agent first spoke of it, which may be long before it said what it is."""

    def add(self, piece: Piece) -> None:
        self.title = piece.title or self.title
        self.name = self.name or self.title
        self.kind = piece.kind or self.kind if self.kind in ("", "other") else self.kind
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
        if self.edits and self.kind in ("", "other"):
            self.kind = "edit"

    @property
    def over(self) -> bool:
        return self.status in OVER

    @property
    def begun(self) -> bool:
        """Whether it is known what it is: some agents never say that it runs, and some announce it
        before they know its input."""
        is_known = bool(self.raw or self.located or self.edits)
        return is_known or self.status in ("in_progress", *OVER)

    @property
    def names_nothing(self) -> bool:
        """Whether it changed a file and did not say which."""
        return self.kind in CHANGING and not self.paths

    @property
    def is_unsaid(self) -> bool:
        """Whether it runs or fetches something and does not say what: a title is but prose."""
        wanted = {"execute": ("command", "cmd"), "fetch": ("url",)}.get(self.kind, ())
        return bool(wanted) and not any(self.raw.get(key) for key in wanted)

    @property
    def gist(self) -> Gist:
        return self.tool, self.paths, self.command if self.kind == "execute" else ""

    @property
    def tool(self) -> str:
        if self.kind == "edit":
            return "Write" if self._is_new_file else "Edit"
        return NAMES.get(self.kind) or self.name or "tool"

    @property
    def input(self) -> dict[str, Any]:
        """In the words that our own policy and the page know a tool's input by."""
        match self.kind:
            case "execute":
                return {"command": self.command}
            case "edit":
                return {**self._edit_input(), **self._all_paths()}
            case "read" | "search" | "delete" | "move":
                plain = _without_paths(self.raw)
                return {**plain, "file_path": _first(self.paths), **self._all_paths()}
            case "fetch":
                return {**self.raw, "url": str(self.raw.get("url") or self.title)}
        return self.raw or {"title": self.title}

    @property
    def command(self) -> str:
        given = self.raw.get("command") or self.raw.get("cmd") or self.title
        return shlex.join(map(str, given)) if isinstance(given, list) else str(given)

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

    def _all_paths(self) -> dict[str, Any]:
        return {"paths": list(self.paths)} if len(self.paths) > 1 else {}

    def _edit_input(self) -> dict[str, Any]:
        if not self.edits:
            return {**_without_paths(self.raw), "file_path": _first(self.paths)}
        edit = self.edits[0]
        if self._is_new_file:
            return {"file_path": edit.path, "content": edit.new_text}
        old = edit.old_text or ""
        return {"file_path": edit.path, "old_string": old, "new_string": edit.new_text}


class Calls:
    """The calls of the running turn; each begins once and ends once."""

    def __init__(self) -> None:
        self._calls: dict[str, AcpCall] = {}
        self._over: set[str] = set()

    def add(self, piece: Piece) -> AcpCall | None:
        """None where that call is over: only a new beginning takes up its id again."""
        if piece.tool_call_id in self._over and not isinstance(piece, schema.ToolCallStart):
            return None
        return self.begin(piece)

    def begin(self, piece: Piece) -> AcpCall:
        self._over.discard(piece.tool_call_id)
        call = self._calls.setdefault(piece.tool_call_id, AcpCall(piece.tool_call_id))
        call.add(piece)
        return call

    def drop(self, call: AcpCall) -> None:
        self._calls.pop(call.id, None)
        self._over.add(call.id)

    def take_all(self) -> list[AcpCall]:
        left, self._calls = list(self._calls.values()), {}
        self._over.clear()
        return left


def _without_paths(raw: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key not in PATHS}


def _first(paths: tuple[str, ...]) -> str:
    return paths[0] if paths else ""
