"""What a person has allowed: standing rules, and leave for single calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from manyhands.model.agent.rules import Rule


@dataclass(frozen=True)
class Grant:
    """Leave for one call with the identical tool and input."""

    tool: str
    input: Mapping[str, Any]


@dataclass
class Permits:
    """Outlives the agent process: whoever resumes an agent hands it the same permits."""

    repo: tuple[Rule, ...] = ()
    session: set[Rule] = field(default_factory=set)
    """From the hub, and what was answered since it last told."""
    grants: list[Grant] = field(default_factory=list)

    @property
    def rules(self) -> set[Rule]:
        return {*self.repo, *self.session}

    def take(self, tool: str, input: Mapping[str, Any]) -> bool:
        """Use up a grant for this very call."""
        wanted = Grant(tool, dict(input))
        if wanted not in self.grants:
            return False
        self.grants.remove(wanted)
        return True
