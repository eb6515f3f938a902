"""What Claude Code offers beside plain words: its slash commands and skills."""

from __future__ import annotations

from manyhands.model.events import AgentCommand

MOST_COMMANDS = 300
BRIEF = 80


def offers(info: dict[str, object] | None) -> tuple[AgentCommand, ...]:
    """Slash commands and skills, each with the beginning of what it says of itself."""
    listed = (info or {}).get("commands")
    found = [c for c in listed if isinstance(c, dict)] if isinstance(listed, list) else []
    return tuple(AgentCommand(str(c.get("name", "")), _brief(c)) for c in found[:MOST_COMMANDS])


def _brief(command: dict[str, object]) -> str:
    words = " ".join(str(command.get("description", "")).split())
    return words if len(words) <= BRIEF else words[: BRIEF - 1] + "…"
