"""Which program an ACP agent is, and the one sentence for each way in which it does not start."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import PurePath

from manyhands.agents.known import KnownAgent
from manyhands.agents.program_version import load_version
from manyhands.errors import AgentFailed
from manyhands.model.wire import AgentSpec
from manyhands.process.spawn import Child

LAST_WORDS_SECONDS = 3.0


def require_program(spec: AgentSpec, known: KnownAgent | None) -> tuple[str, ...]:
    """The command with its program found on the agent's own PATH."""
    command = spec.command or (known.command if known else ())
    if not command:
        raise AgentFailed(
            f"agent {spec.name} has no command",
            hint=f'set [agents.{spec.name}] command = ["…"] in config.toml',
        )
    found = shutil.which(command[0], path=spec.env.get("PATH", ""))
    if found is None:
        mend = f"mend [agents.{spec.name}] in config.toml"
        way_out = known.install if known and not spec.command else mend
        raise AgentFailed(
            f"agent {spec.name} is not installed",
            hint=f"there is no {command[0]!r} on its PATH: {way_out}",
        )
    return (found, *command[1:])


def version_of(command: tuple[str, ...], spec: AgentSpec, known: KnownAgent) -> str:
    """Asked of a program that we know by its name; any other might do anything instead."""
    is_known = PurePath(command[0]).name == known.command[0]
    return load_version(command[0], spec) if is_known else ""


def not_logged_in(spec: AgentSpec, known: KnownAgent | None) -> AgentFailed:
    hint = known.login if known else "log in with its own program first"
    return AgentFailed(f"agent {spec.name} is not logged in", hint=hint)


def ended_at_start(spec: AgentSpec, code: int, last_words: str) -> AgentFailed:
    said = f": {last_words}" if last_words else ""
    return AgentFailed(
        f"agent {spec.name} ended as soon as it was started, with {code}{said}",
        hint=f"try it by hand: {' '.join(spec.command) or spec.name}",
    )


def silent_at_start(spec: AgentSpec, seconds: float) -> AgentFailed:
    return AgentFailed(
        f"agent {spec.name} did not answer within {seconds:.0f} s of its start",
        hint="does its command speak the Agent Client Protocol on stdin and stdout?",
    )


async def exit_code(child: Child) -> int | None:
    """Of a program that is about to end; None where it is not."""
    try:
        async with asyncio.timeout(LAST_WORDS_SECONDS):
            return await child.wait()
    except TimeoutError:
        return None
