"""Who let a tool call run, or did not, as an event: what a person answers is told by the hub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyhands.agents.policy import Allow, Ask, Decision
from manyhands.agents.tools import HARMLESS, READING, subject
from manyhands.model.events import Mode, PermissionDecided

LONGEST_SUBJECT = 1000


def audited(
    call: str, tool: str, input: Mapping[str, Any], decision: Decision, mode: Mode
) -> list[PermissionDecided]:
    """Free reading is no decision of anybody's, and what is asked is told when answered."""
    if tool in READING | HARMLESS or isinstance(decision, Ask):
        return []
    rule = decision.rule if isinstance(decision, Allow) else ""
    decided = PermissionDecided(
        call=call,
        tool=tool,
        what=subject(input)[:LONGEST_SUBJECT],
        decision="allow" if isinstance(decision, Allow) else "deny",
        by="rule" if rule else "mode",
        rule=rule or f"mode {mode}",
    )
    return [decided]
