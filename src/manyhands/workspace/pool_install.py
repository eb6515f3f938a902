"""Dependencies in a spare worktree: the installs that its lock files ask for, and nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

from manyhands.config import Settings, child_environment
from manyhands.errors import NotPossible
from manyhands.workspace.commands import run_commands
from manyhands.workspace.repo_config import load_repo_config
from manyhands.workspace.setup_plan import (
    SetupCommand,
    SetupPlan,
    left_to_do,
    load_plan,
    set_installed,
)

_AT_LOWEST_PRIORITY = "renice -n 19 -p $$ >/dev/null 2>&1\n"
LONGEST_TAIL = 500


async def install_dependencies(spare: Path, settings: Settings) -> str:
    """What was installed, as lock hashes; a session that takes the spare finds its setup done.

    Commands that make no dependencies are the session's own business.
    """
    env = child_environment(passed=settings.environment.passed)
    plan, left = await asyncio.to_thread(_plan, spare, env.get("PATH"))
    for command in left:
        await _install(spare, command, env, settings.workspaces.setup_seconds)
    return "+".join(f"{c.installer}:{c.key[:16]}" for c in plan.commands)


def _plan(spare: Path, path: str | None) -> tuple[SetupPlan, tuple[SetupCommand, ...]]:
    plan = load_plan(spare, load_repo_config(spare), path=path).installs
    return plan, left_to_do(spare, plan)


async def _install(spare: Path, command: SetupCommand, env: dict[str, str], seconds: float) -> None:
    said = ""

    async def say(_: str, text: str) -> None:
        nonlocal said
        said = (said + text)[-LONGEST_TAIL:]

    text = _AT_LOWEST_PRIORITY + command.text
    ran = await run_commands([text], cwd=spare, env=env, seconds=seconds, say=say)
    if ran.error:
        raise NotPossible(f"{command.text}: {ran.error}: {said}")
    await asyncio.to_thread(set_installed, spare, command)
