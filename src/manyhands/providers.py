"""Providers: whoever brings agents along, with the model that they run on. Nobody else knows one.

A provider is a module with the names of `Provider`. It is named here by its path and imported
when first wanted, by the command line too: its own imports are lazy.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from manyhands.config import Home

NAMED = ("manyhands.rehearsal.provider",)


class Provider(Protocol):
    AGENTS: Mapping[str, Mapping[str, str]]
    """Agents that need no config, each as its table there would be."""
    COMMANDS: Mapping[str, str]
    """Commands of its own, by the module in which each is."""

    def directories(self, home: Home) -> dict[str, str]:
        """The environment in which its agents keep their own files."""
        ...

    def environment(self, home: Home) -> dict[str, str]:
        """All that its agents need; raises `AgentFailed` where their model is not running."""
        ...

    def start(self, home: Home) -> None:
        """Makes sure that the model runs."""
        ...

    def stop(self, home: Home) -> None: ...

    def spoken(self, text: str) -> str:
        """A prompt without what is meant for the model, not for people."""
        ...


@cache
def providers() -> tuple[Provider, ...]:
    return tuple(cast("Provider", import_module(name)) for name in NAMED)


def provider_of(agent: str) -> Provider | None:
    return next((p for p in providers() if agent in p.AGENTS), None)


def start_for(home: Home, agent: str) -> None:
    """Whatever must run before this agent can work."""
    if provider := provider_of(agent):
        provider.start(home)


def spoken(text: str) -> str:
    for provider in providers():
        text = provider.spoken(text)
    return text
