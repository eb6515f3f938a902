"""Conversations that an agent keeps of its own accord, to be taken up again as a session.

They are only listed and read. A session that goes on with one does so in a copy: the original
stays as it is.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from manyhands.agents.catalogue import agent_config, agent_places
from manyhands.agents.claude_history import past_conversations
from manyhands.errors import NotFound
from manyhands.git.refs import find_repository
from manyhands.hub.hub import Hub
from manyhands.model.views import PastConversation


async def past(hub: Hub, repo: str, agent: str = "") -> list[PastConversation]:
    """What the agent keeps for a repository's main checkout, newest first."""
    name = agent or hub.settings.defaults.agent
    return await conversations_in(hub, name, await asyncio.to_thread(_checkout, repo))


def _checkout(path: str) -> Path:
    """Only looked at: a repository need not be known to have a past."""
    place = Path(path)
    known = "\0" not in path and place.is_absolute() and place.is_dir()
    found = find_repository(place) if known else None
    if found is None:
        raise NotFound(f"{path!r} is no git repository", hint="give its absolute path")
    return found.common_dir.parent if found.common_dir.name == ".git" else found.toplevel


async def conversations_in(hub: Hub, agent: str, directory: Path) -> list[PastConversation]:
    """Agents of other kinds do not list theirs."""
    if agent_config(agent, hub.settings).kind != "claude":
        return []
    env = agent_places(agent, hub.settings, hub.home)
    found = await asyncio.to_thread(past_conversations, env, directory)
    return [msgspec.structs.replace(c, agent=agent, directory=str(directory)) for c in found]


async def require_past(hub: Hub, agent: str, directory: str, id: str) -> PastConversation:
    known = await conversations_in(hub, agent, Path(directory))
    found = [c for c in known if c.id == id or (len(id) >= 6 and c.id.startswith(id))]
    if len(found) != 1:
        raise NotFound(
            f"{agent} keeps no conversation {id!r} for {directory}",
            hint="`manyhands past` lists them",
        )
    return found[0]
