"""What Claude Code offers beside plain words: its slash commands and skills."""

from __future__ import annotations

from manyhands.agents.bounded import brief
from manyhands.model.events import AgentCommand

MOST_COMMANDS = 300


def offers(info: dict[str, object] | None) -> tuple[AgentCommand, ...]:
    """Slash commands and skills, each with the beginning of what it says of itself."""
    listed = (info or {}).get("commands")
    found = [c for c in listed if isinstance(c, dict)] if isinstance(listed, list) else []
    return tuple(
        AgentCommand(str(c.get("name", "")), brief(str(c.get("description", ""))))
        for c in found[:MOST_COMMANDS]
    )
