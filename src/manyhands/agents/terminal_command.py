"""Which program an agent of kind `terminal` is."""

from __future__ import annotations

import os
import shutil

from manyhands.errors import AgentFailed
from manyhands.model.wire import AgentSpec


def find_command(spec: AgentSpec) -> str:
    if not spec.command:
        raise AgentFailed(
            f"agent {spec.name} has no command to run",
            hint=f"set [agents.{spec.name}] command in config.toml",
        )
    found = shutil.which(spec.command[0], path=spec.env.get("PATH", os.defpath))
    if found is None:
        raise AgentFailed(
            f"the command {spec.command[0]!r} of agent {spec.name} is not installed",
            hint=f"mend [agents.{spec.name}] command in config.toml",
        )
    return found
