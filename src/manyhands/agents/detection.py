"""Whether an agent is here, how old it is, and whether it has a login: from files, never asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from manyhands.agents.claude.cli import find_program
from manyhands.agents.claude.history import config_directory
from manyhands.agents.known import KnownAgent, known_agent
from manyhands.agents.program import find_command, require_program, version_of
from manyhands.model.wire import AgentSpec

LEAST_SETTINGS = len("{}\n")
CLAUDE_MODELS = ("opus", "sonnet", "haiku")


@dataclass(frozen=True)
class Detected:
    installed: bool = False
    version: str = ""
    logged_in: bool | None = None
    models: tuple[str, ...] = ()
    hint: str = ""


def detect(spec: AgentSpec, *, with_version: bool = True) -> Detected:
    """Raises, with the way out, where the agent is not installed.

    Some take seconds to say their version: who does not show it leaves it out.
    """
    if spec.kind == "claude":
        return _claude(spec)
    if spec.kind == "acp":
        return _acp(spec, with_version=with_version)
    if spec.kind == "terminal":
        find_command(spec)
        return Detected(installed=True)
    return Detected(hint=f"kind {spec.kind} cannot be driven by this version")


def _claude(spec: AgentSpec) -> Detected:
    version = find_program(spec).version
    logged_in = has_login(spec.env)
    hint = LOGIN if logged_in is False else ""
    return Detected(True, version, logged_in, CLAUDE_MODELS, hint)


def _acp(spec: AgentSpec, *, with_version: bool) -> Detected:
    known = known_agent(spec.like, spec.command)
    command = require_program(spec, known)
    if known is None:
        return Detected(installed=True)
    logged_in = has_known_login(known, spec.env)
    hint = known.login if logged_in is False else ""
    version = version_of(command, spec, known) if with_version else ""
    return Detected(True, version, logged_in, hint=hint)


def has_known_login(known: KnownAgent, env: Mapping[str, str]) -> bool | None:
    """None where only the agent itself could tell, as with a provider of the user's own."""
    if any(env.get(name) for name in known.keys):
        return True
    if any(program_file(name, env).is_file() for name in known.credentials):
        return True
    if not known.capabilities.login or (known.settings and not known.credentials):
        return None
    return None if any(_says_more(program_file(name, env)) for name in known.settings) else False


def _says_more(settings: Path) -> bool:
    """Empty ones are made for every box that must not have any made."""
    return settings.is_file() and settings.stat().st_size > LEAST_SETTINGS


def program_file(name: str, env: Mapping[str, str]) -> Path:
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


DEFAULTS = {
    "XDG_DATA_HOME": ".local/share",
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}


LOGIN = "run `claude` once and log in with /login, or set ANTHROPIC_API_KEY in the agent's env"
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
CLOUDS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")


def has_login(env: Mapping[str, str]) -> bool | None:
    """Looked up in files, never asked of a service; None where only a keychain could tell."""
    if any(env.get(name) for name in KEYS):
        return True
    if any(env.get(name) for name in CLOUDS):
        return None
    config = config_directory(env)
    if (config / ".credentials.json").is_file() or _names_a_key(config / "settings.json"):
        return True
    return None if sys.platform == "darwin" else False


def _names_a_key(settings: Path) -> bool:
    """A key, or a helper that brings one, in the program's own settings."""
    try:
        found = json.loads(settings.read_bytes())
    except (OSError, ValueError):
        return False
    if not isinstance(found, dict):
        return False
    env = found.get("env")
    return "apiKeyHelper" in found or (isinstance(env, dict) and any(key in env for key in KEYS))
