"""What an agent tells of itself beside the dialogue: its commands, and what it has to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acp.schema import AvailableCommand, PlanEntry

from manyhands.agents.bounded import brief
from manyhands.model.events import AgentCommand, CommandsListed, Todo, TodosChanged, TodoState

MOST_COMMANDS = 300
STATES: dict[str, TodoState] = {"in_progress": "doing", "completed": "done"}


def commands(listed: Sequence[AvailableCommand]) -> CommandsListed:
    named = [AgentCommand(c.name, brief(c.description)) for c in listed[:MOST_COMMANDS]]
    return CommandsListed(commands=tuple(named))


def todos(entries: Sequence[PlanEntry]) -> TodosChanged:
    """The protocol's plan is a list of steps under way, not a plan for approval."""
    return TodosChanged(todos=tuple(_todo(entry.content, entry.status) for entry in entries))


def todos_of_call(raw: Mapping[str, Any]) -> TodosChanged:
    """The same from the input of a tool that keeps the list."""
    listed = raw.get("todos")
    entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    found = [_todo(str(one.get("content", "")), str(one.get("status", ""))) for one in entries]
    return TodosChanged(todos=tuple(found))


def _todo(text: str, status: str) -> Todo:
    return Todo(text, STATES.get(status, "pending"))
