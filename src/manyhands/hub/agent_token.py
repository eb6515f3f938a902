"""The agent's own token: good for reading its own session, and void as soon as that is put away.

It is given to agents whose config asks for it, by environment only, and stored by hash only.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

import msgspec

from manyhands.agents.catalogue import agent_config
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


class _Address(msgspec.Struct):
    url: str


async def token_variables(hub: Hub, s: Session) -> dict[str, str]:
    """What the session's next agent is given; an earlier one's token is void from now on."""
    await revoke_token(hub, s)
    if not agent_config(s.agent, hub.last_settings).token:
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
