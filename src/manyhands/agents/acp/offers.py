"""What an agent tells of itself beside the dialogue: its commands, and what it has to do."""

from __future__ import annotations

from collections.abc import Sequence

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
    found = [Todo(entry.content, STATES.get(entry.status, "pending")) for entry in entries]
    return TodosChanged(todos=tuple(found))
