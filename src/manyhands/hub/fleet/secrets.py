"""What is secret of a session: its agent's own token, and the values that nothing may tell.

The token is good for reading its own session, and void as soon as that is put away. It is given
to agents whose config asks for it, by environment only, and stored by hash only.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from manyhands.agents.catalogue import agent_config
from manyhands.agents.references import referenced
from manyhands.errors import BadInput
from manyhands.hub.core import Hub, worktree_of
from manyhands.model.session.session import Session
from manyhands.station.environment import load_secrets


class _Address(msgspec.Struct):
    url: str


async def token_variables(hub: Hub, s: Session) -> dict[str, str]:
    """What the session's next agent is given; an earlier one's token is void from now on."""
    await revoke_token(hub, s)
    if not agent_config(s.main.agent, hub.last_settings).token:
        return {}
    token = secrets.token_urlsafe(32)
    hashed = hashlib.sha256(token.encode()).hexdigest()
    await hub.store.add_token(hashed, "agent", s.id)
    return {"MANYHANDS_TOKEN": token, "MANYHANDS_URL": _url(hub)}


async def revoke_token(hub: Hub, s: Session) -> None:
    await hub.store.revoke_tokens(kind="agent", session=s.id)


def _url(hub: Hub) -> str:
    try:
        return msgspec.json.decode(hub.home.hub_file.read_bytes(), type=_Address).url
    except (OSError, msgspec.DecodeError):
        return ""


async def session_secrets(hub: Hub, s: Session, env: Mapping[str, str]) -> tuple[str, ...]:
    """Secrets in `env`, those that came by reference, the carried ones, and our own token."""
    found = await load_secrets(worktree_of(hub, s), env)
    with suppress(BadInput):  # an agent that is no longer configured
        found += referenced(agent_config(s.main.agent, hub.last_settings).env, env)
    if "MANYHANDS_TOKEN" in env:
        found.append(env["MANYHANDS_TOKEN"])
    with suppress(OSError):
        found.append(hub.home.token.read_text("ascii").strip())
    return tuple(dict.fromkeys(filter(None, found)))
