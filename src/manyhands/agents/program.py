"""An agent's program: found by its command, and its own word for its version."""

from __future__ import annotations

import functools
import os
import re
import shutil
from pathlib import Path, PurePath

from manyhands.agents.known import KnownAgent
from manyhands.errors import AgentFailed
from manyhands.model.wire import AgentSpec
from manyhands.process.pipeline import load_output

SECONDS = 15.0


def load_version(program: str, spec: AgentSpec) -> str:
    """Nothing where the program is gone, silent, or speaks of no version."""
    real = Path(program).resolve()
    try:
        changed = real.stat().st_mtime_ns
    except OSError:
        return ""
    names = ("PATH", "HOME", "TMPDIR")
    env = tuple((name, spec.env[name]) for name in names if name in spec.env)
    try:
        return _ask_version(program, changed, env)
    except _NoAnswer:
        return ""


class _NoAnswer(Exception):
    """Not remembered: a program that was too slow just now is asked again."""


@functools.lru_cache(maxsize=32)
def _ask_version(program: str, changed: int, env: tuple[tuple[str, str], ...]) -> str:
    said = load_output([program, "--version"], env=dict(env), timeout=SECONDS)
    if said is None:
        raise _NoAnswer
    return plain_version(said)


def plain_version(text: str) -> str:
    found = re.search(r"\d+\.\d+\.\d+", text)
    return found.group() if found else ""


def find_command(spec: AgentSpec) -> str:
    """Which program the command of an agent's config is."""
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


def require_program(spec: AgentSpec, known: KnownAgent | None) -> tuple[str, ...]:
    """The command of an agent of kind `acp`, with its program found on the agent's own PATH."""
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
