"""The Agent SDK, loaded without the servers that it could host in our process.

It can offer Python functions to Claude Code as tools, and loads a web framework and every message
of MCP for it: a second's work and 45 MB for what we never ask of it. While it loads, empty classes
stand in their place; whoever else wants those modules gets the real ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

UNUSED = (
    "jsonschema",
    "mcp",
    "mcp.server",
    "mcp.shared",
    "mcp.shared.memory",
    "mcp.shared.message",
    "mcp.types",
)


class _Nothing:
    def __init_subclass__(cls, **_: object) -> None: ...


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (_Nothing,), {})


@contextmanager
def _standing_in() -> Iterator[None]:
    names = [name for name in UNUSED if name.partition(".")[0] not in sys.modules]
    sys.modules.update({name: _StandIn(name) for name in names})
    for parent, _, child in (name.rpartition(".") for name in names if "." in name):
        setattr(sys.modules[parent], child, sys.modules[f"{parent}.{child}"])
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


def _load() -> None:
    """A later SDK may want more of them than that they are there: it is loaded with them."""
    try:
        with _standing_in():
            import claude_agent_sdk
    except (ImportError, AttributeError, TypeError):
        for name in [n for n in sys.modules if n.partition(".")[0] == "claude_agent_sdk"]:
            del sys.modules[name]
        import claude_agent_sdk  # noqa: F401


_load()
from claude_agent_sdk import *  # noqa: E402, F403
from claude_agent_sdk import __version__ as __version__  # noqa: E402, PLC0414
