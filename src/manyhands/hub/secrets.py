"""The values that nothing of a session may tell, gathered anew whenever a program is started."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.agents.catalogue import agent_config
from manyhands.agents.references import referenced
from manyhands.errors import BadInput
from manyhands.model.redaction import Redactor
from manyhands.model.session import Session
from manyhands.workspace.secrets import load_secrets

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


def session_secrets(hub: Hub, s: Session, env: Mapping[str, str]) -> tuple[str, ...]:
    """Secrets in `env`, those that came by reference, the carried ones, and our own token."""
    found = load_secrets(Path(s.worktree), s.copied, env)
    with suppress(BadInput):  # an agent that is no longer configured
        found += referenced(agent_config(s.agent, hub.last_settings).env, env)
    if "MANYHANDS_TOKEN" in env:
        found.append(env["MANYHANDS_TOKEN"])
    with suppress(OSError):
        found.append(hub.home.token.read_text("ascii").strip())
    return tuple(dict.fromkeys(filter(None, found)))


def session_redactor(hub: Hub, s: Session, env: Mapping[str, str]) -> Redactor:
    return Redactor(session_secrets(hub, s, env))
