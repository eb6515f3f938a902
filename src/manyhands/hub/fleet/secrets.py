"""What is secret of a session: its agent's own token, and the values that nothing may tell.

The token is good for reading its own session, and void as soon as that is put away. It is given
to agents whose config asks for it, by environment only, and stored by hash only.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from manyhands.agents.catalogue import agent_config
from manyhands.agents.references import referenced, resolved_environment
from manyhands.errors import BadInput, ManyhandsError
from manyhands.hub.core import Hub, Reactor, agent_environment, worktree_of
from manyhands.model.redaction import Redactor
from manyhands.model.session.session import Session
from manyhands.station.environment import load_secrets

log = logging.getLogger(__name__)


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
    hub.redactor.learn(filter(None, found))
    return tuple(dict.fromkeys(filter(None, found)))


async def clean_views(hub: Hub, s: Session) -> Redactor:
    """For what is shown of the session's files: it knows what its `.env` files hold by now."""
    hub.redactor.learn(await load_secrets(worktree_of(hub, s), {}))
    return hub.redactor


async def require_no_secret(hub: Hub, s: Session, text: str, what: str) -> None:
    """Refuse words that are about to leave for where nobody can take them back."""
    found = (await clean_views(hub, s)).spans(text)
    if found:
        kind = found[0].kind or "a value that is secret here"
        raise BadInput(
            f"{what} holds {kind}: nothing was done", hint="say it without, then ask again"
        )


class Secrets(Reactor):
    """Learns at the start what the sessions that are there were given."""

    async def run(self) -> None:
        for s in list(self._hub.state.all_sessions().values()):
            if not s.life.archived:
                try:
                    await session_secrets(self._hub, s, await self._environment(s))
                except (ManyhandsError, OSError) as error:
                    log.info("not all secrets of %s are known: %s", s.id, error)

    async def _environment(self, s: Session) -> dict[str, str]:
        hub = self._hub
        env = await agent_environment(hub, s)
        config = agent_config(s.main.agent, hub.last_settings)
        return env | await asyncio.to_thread(resolved_environment, config, s.main.agent)
