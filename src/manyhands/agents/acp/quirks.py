"""Where a known agent differs from the protocol or from the others: each difference once, here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from manyhands.model.events import Mode


@dataclass(frozen=True, kw_only=True)
class Quirks:
    modes: Mapping[Mode, Mapping[str, str]] = field(default_factory=dict)
    """What each of our modes is in the agent's own config options, by their ids."""
    env: Mapping[str, str] = field(default_factory=dict)
    approvals: Mapping[Mode, str] = field(default_factory=dict)
    """The option id that approves a plan, by the mode to go on in."""
    unsigned_text: bool = False
    """Text without a message id is the program's own: a warning, or the error of a turn."""
    outlives_cancel: bool = False
    """A command that runs survives the cancelling of its turn until the session is closed."""
    list_tool: str = ""
    """The tool by whose calls alone it tells what it has to do."""
    starts_alone: bool = False
    """Of two that start at once one may fail over what they keep in common."""
    usage_per_turn: bool = False
    """It counts tokens by the turn, where the protocol has them grow over the whole session."""


CODEX = Quirks(
    # Its read-only sandbox is what makes it ask: commands that write fail or are asked for.
    # "agent" lets another model approve in the person's place, so `auto` is not that.
    modes={
        "plan": {"mode": "read-only", "collaboration_mode": "plan"},
        "ask": {"mode": "read-only", "collaboration_mode": "default"},
        "edits": {"mode": "read-only", "collaboration_mode": "default"},
        "auto": {"mode": "workspace-write", "collaboration_mode": "default"},
    },
    unsigned_text=True,
    outlives_cancel=True,
    starts_alone=True,
    usage_per_turn=True,
)

OPENCODE = Quirks(
    modes={
        "plan": {"mode": "plan"},
        "ask": {"mode": "build"},
        "edits": {"mode": "build"},
        "auto": {"mode": "build"},
    },
    # By itself it asks for nothing. A sub-agent's question never reaches the client and would
    # wait for ever, so it gets no sub-agents.
    env={
        "OPENCODE_PERMISSION": json.dumps(
            {
                "*": "ask",
                "read": "allow",
                "glob": "allow",
                "grep": "allow",
                "list": "allow",
                "skill": "allow",
                "todowrite": "allow",
                "task": "deny",
            }
        ),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
    },
    list_tool="todowrite",
    usage_per_turn=True,
)

# By itself it accepts every edit.
VIBE = Quirks(modes={"ask": {"mode": "ask"}, "edits": {"mode": "ask"}, "auto": {"mode": "ask"}})

# The first option that always allows a plan would clear its context: chosen by id, never by kind.
CLAUDE_ACP = Quirks(approvals={"ask": "default", "edits": "acceptEdits", "auto": "acceptEdits"})

EXAMPLE = Quirks(
    modes={
        "plan": {"mode": "plan"},
        "ask": {"mode": "build"},
        "edits": {"mode": "build"},
        "auto": {"mode": "build"},
    },
)

NONE = Quirks()
