"""What only a person may do: a command that an agent's process runs is refused before it begins."""

from __future__ import annotations

from manyhands.client.agent import own_session
from manyhands.config import home
from manyhands.errors import NotTrusted

OF_AGENTS = frozenset({"status", "show", "path", "log", "diff", "propose", "completion", "demo"})
"""An agent may read its own session, and propose issues in it; the demo has a home of its own."""


def require_person(command: str) -> None:
    session = "" if command in OF_AGENTS else own_session(home())
    if session:
        raise NotTrusted(
            f"this is session {session}'s agent; only a person may `manyhands {command}`",
            hint=f"it may read its own session, for example: manyhands show {session}",
        )
