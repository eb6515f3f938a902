"""Agents as the outside sees them, and the dialogues that they keep."""

from __future__ import annotations

import msgspec

from manyhands.model.box import BoxLevel
from manyhands.model.clock import Instant
from manyhands.model.events import AgentKind, Mode
from manyhands.model.ids import AgentSessionId


class PastConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue that an agent keeps for a directory and could go on with."""

    id: AgentSessionId
    title: str
    messages: int | None = None
    """None where the agent does not tell."""
    updated_at: Instant
    agent: str = ""
    directory: str = ""


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: AgentKind
    installed: bool
    version: str
    logged_in: bool | None
    """None where it cannot be known without asking the agent's service."""
    models: tuple[str, ...]
    modes: tuple[Mode, ...]
    """Those that it can be held to."""
    hint: str = ""
    box: BoxLevel = "none"
    """What it works in on this machine, where nothing else is chosen."""
    box_note: str = ""
    """By what, or why it is not more and what to do about it."""
