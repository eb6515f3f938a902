"""An agent's own program for people, in mid-dialogue: what is run, and what it notes meanwhile.

While it runs nothing else may go on with that dialogue: two at once lose turns without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from manyhands.agents.protocol import Host, Workplace
from manyhands.errors import NotPossible
from manyhands.model.ids import AgentSessionId
from manyhands.model.wire import AgentSpec

OFFERED = ("claude",)


class OwnScreen(Protocol):
    name: str
    """What its terminal is called."""
    command: tuple[str, ...]
    shown: tuple[str, ...]
    """The command as a person would type it."""
    env: Mapping[str, str]
    """Beside the agent's own."""

    async def look(self) -> None:
        """Tell what happened since, each thing once."""
        ...

    async def finish(self) -> None:
        """The program is gone: tell the rest, and what it cost."""
        ...


def require_own_screen(agent: str, kind: str) -> None:
    """Raises, in one sentence, where this cannot be done with an agent yet."""
    if kind not in OFFERED:
        raise NotPossible(
            f"only Claude Code can be taken over yet, and this session's agent is {agent}",
            hint="say it what to do here, or look at its work in a terminal of the session",
        )


def own_screen(
    spec: AgentSpec, host: Host, workplace: Workplace, resume: AgentSessionId
) -> OwnScreen:
    """Of the agent as it rests now; blocks. Nothing of the agent may run any more."""
    require_own_screen(spec.name, spec.kind)
    from manyhands.agents.claude.own_screen import ClaudeScreen

    return ClaudeScreen(spec, host, workplace, resume)
