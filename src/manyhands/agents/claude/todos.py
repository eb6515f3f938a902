"""Claude Code's list of things to do, from the calls by which it keeps it.

Newer programs keep tasks one by one (`TaskCreate`, `TaskUpdate`), older ones write the whole list
(`TodoWrite`). A resumed program still has its tasks, on file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from manyhands.agents.bounded import todo
from manyhands.model.events import Todo, TodosChanged

TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"})


class _Task(msgspec.Struct):
    id: str
    subject: str = ""
    status: str = "pending"


class Todos:
    def __init__(self, known: Mapping[str, Todo] | None = None) -> None:
        self._todos = dict(known or {})
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}

    def called(self, call: str, tool: str, input: dict[str, Any]) -> None:
        if tool in TOOLS:
            self._calls[call] = (tool, input)

    def finished(self, call: str, text: str, is_error: bool, result: object) -> list[TodosChanged]:
        """The list as it is now, if this call has changed it."""
        tool, input = self._calls.pop(call, ("", {}))
        if is_error or not tool:
            return []
        before = dict(self._todos)
        match tool:
            case "TodoWrite":
                entries = input.get("todos") or []
                self._todos = {str(n): _todo(entry) for n, entry in enumerate(entries)}
            case "TaskCreate":
                number = re.search(r"#(\w+)", text)
                self._todos[number[1] if number else call] = Todo(str(input.get("subject", "")))
            case "TaskUpdate":
                self._update(input)
            case "TaskList" if isinstance(result, dict):
                tasks = msgspec.convert(result.get("tasks", []), list[_Task])
                self._todos = {task.id: todo(task.subject, task.status) for task in tasks}
        if self._todos == before:
            return []
        return [TodosChanged(todos=tuple(self._todos.values()))]

    def _update(self, input: dict[str, Any]) -> None:
        id, status = str(input.get("taskId", "")), str(input.get("status") or "")
        if status == "deleted":
            self._todos.pop(id, None)
            return
        before = self._todos.get(id, Todo(f"#{id}"))
        text = str(input.get("subject") or before.text)
        self._todos[id] = todo(text, status) if status else Todo(text, before.state)


def _todo(entry: object) -> Todo:
    given = entry if isinstance(entry, dict) else {}
    return todo(str(given.get("content") or given.get("subject") or ""), given.get("status"))


def load_todos(config: Path, session: str) -> Todos:
    """What a resumed program knows; a file that cannot be read is no task."""
    found: dict[str, Todo] = {}
    files = (config / "tasks" / session).glob("*.json")
    for file in sorted(files, key=lambda file: (len(file.stem), file.stem)):
        try:
            task = msgspec.json.decode(file.read_bytes(), type=_Task)
        except (OSError, msgspec.MsgspecError):
            continue
        found[task.id] = todo(task.subject, task.status)
    return Todos(found)
