"""Whether an agent is here, how old it is, and whether it has a login: from files, never asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from manyhands.agents.acp.program import require_program, version_of
from manyhands.agents.claude_cli import find_program
from manyhands.agents.claude_login import LOGIN, has_login
from manyhands.agents.known import KnownAgent, known_agent
from manyhands.agents.terminal_command import find_command
from manyhands.model.wire import AgentSpec

CLAUDE_MODELS = ("opus", "sonnet", "haiku")


@dataclass(frozen=True)
class Found:
    installed: bool = False
    version: str = ""
    logged_in: bool | None = None
    models: tuple[str, ...] = ()
    hint: str = ""


def detect(spec: AgentSpec) -> Found:
    """Raises, with the way out, where the agent is not installed."""
    if spec.kind == "claude":
        return _claude(spec)
    if spec.kind == "acp":
        return _acp(spec)
    if spec.kind == "terminal":
        find_command(spec)
        return Found(installed=True)
    return Found(hint=f"kind {spec.kind} cannot be driven by this version")


def _claude(spec: AgentSpec) -> Found:
    version = find_program(spec).version
    logged_in = has_login(spec.env)
    hint = LOGIN if logged_in is False else ""
    return Found(True, version, logged_in, CLAUDE_MODELS, hint)


def _acp(spec: AgentSpec) -> Found:
    known = known_agent(spec.like, spec.command)
    command = require_program(spec, known)
    if known is None:
        return Found(installed=True)
    logged_in = has_known_login(known, spec.env)
    hint = known.login if logged_in is False else ""
    return Found(True, version_of(command, spec, known), logged_in, hint=hint)


def has_known_login(known: KnownAgent, env: Mapping[str, str]) -> bool | None:
    """None where only the agent itself could tell, as with a provider of the user's own."""
    if any(env.get(name) for name in known.keys):
        return True
    if any(place(name, env).is_file() for name in known.credentials):
        return True
    if not known.capabilities.login or (known.settings and not known.credentials):
        return None
    return None if any(place(name, env).is_file() for name in known.settings) else False


def place(name: str, env: Mapping[str, str]) -> Path:
    """`~VARIABLE:default/rest`: under the variable's directory where it is set, else under HOME."""
    home = Path(env.get("HOME", "/"))
    if not name.startswith("~"):
        return home / name
    variable, _, path = name[1:].partition(":")
    given = env.get(variable)
    if not given:
        return home / path
    default = DEFAULTS.get(variable, path.split("/", 1)[0])
    return Path(given) / path.removeprefix(default).lstrip("/")


DEFAULTS = {"XDG_DATA_HOME": ".local/share", "XDG_CONFIG_HOME": ".config"}
