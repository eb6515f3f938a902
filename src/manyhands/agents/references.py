"""Secrets by reference: `env:NAME` and `keyring:NAME` in the user's config, looked up when used.

The value goes into the environment of the one program that needs it and is stored nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.config import AgentConfig, reference, variable
from manyhands.errors import AgentFailed

SERVICE = "manyhands"
"""The name under which the keyring holds what we may ask for."""


def resolved(value: str, where: str) -> str:
    """The value itself where it is no reference; `where` is the setting that holds it."""
    found = reference(value)
    if found is None:
        return value
    kind, name = found
    return _from_environment(name, where) if kind == "env" else _from_keyring(name, where)


def resolved_environment(config: AgentConfig, agent: str) -> dict[str, str]:
    where = f"[agents.{agent}] env"
    return {name: resolved(value, f"{where}, {name}") for name, value in config.env.items()}


def referenced(env: Mapping[str, str], resolved_env: Mapping[str, str]) -> list[str]:
    """The values that came by reference: secrets, whatever they look like."""
    asked = [name for name, value in env.items() if reference(value)]
    return [resolved_env[name] for name in asked if name in resolved_env]


def _from_environment(name: str, where: str) -> str:
    value = variable(name)
    if not value:
        raise AgentFailed(
            f"{where} asks for the variable {name}, which the hub does not have",
            hint=f"set {name}, then `manyhands down` and `manyhands up`",
        )
    return value


def _from_keyring(name: str, where: str) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise AgentFailed(
            f"{where} asks for {name} in the keyring, and the package keyring is not installed",
            hint="pip install 'manyhands[keyring]'",
        ) from error
    try:
        value = keyring.get_password(SERVICE, name)
    except KeyringError as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise AgentFailed(f"{where} asks for {name}; the keyring refused: {why}") from error
    if not value:
        raise AgentFailed(
            f"{where} asks for {name}, which the keyring does not hold",
            hint=f"`keyring set {SERVICE} {name}` puts it there",
        )
    return value
