"""What a program of the session that is no agent is started with: a terminal, a service, a command.

It sees what the agent sees: the worktree, the agent's environment, its box and its way out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from manyhands.box.network.way_out import WayOut
from manyhands.config import PART_MARK
from manyhands.model.box import Box


@dataclass(frozen=True)
class Premises:
    worktree: Path
    env: Mapping[str, str]
    box: Box
    way_out: WayOut | None = None

    def environment(self, part: str) -> dict[str, str]:
        """For one part of the session, such as `terminal-x1`: by its mark all of it is found, and
        it is not taken for what a dead agent left behind."""
        return {**self.env, "PWD": str(self.worktree), PART_MARK: part}
