"""Conversations that an agent keeps of its own accord, to be taken up again as a session.

They are only listed and read. A session that goes on with one does so in a copy: the original
stays as it is.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from manyhands.agents.catalogue import agent_config, agent_places, agent_spec
from manyhands.agents.claude_history import past_conversations
from manyhands.agents.known import capabilities_of
from manyhands.errors import NotFound, NotPossible, NotTrusted
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
    kind = agent_config(agent, hub.settings).kind
    if kind == "claude":
        env = agent_places(agent, hub.settings, hub.home)
        found = await asyncio.to_thread(past_conversations, env, directory)
    else:
        found = await _listed(hub, agent, kind, directory)
    return [msgspec.structs.replace(c, agent=agent, directory=str(directory)) for c in found]


async def _listed(hub: Hub, agent: str, kind: str, directory: Path) -> list[PastConversation]:
    """Asked of the agent itself, which may read the directory's settings: only where trusted."""
    # The library takes a second to import: only who needs it pays for it.
    from manyhands.agents.acp import past as acp

    if kind != "acp":
        raise acp.unsupported(agent)
    repo = hub.state.repo(str(directory))
    if repo is None or not repo.trusted:
        raise NotTrusted(
            f"{directory} is not trusted yet, so agent {agent} is not asked about it",
            hint=f"look at what it would run, then `manyhands repo trust {directory}`",
        )
    spec = agent_spec(
        agent, hub.settings, hub.home, session="past", worktree=str(directory), repo=str(directory)
    )
    return await acp.past_conversations(spec, directory)


async def require_past(hub: Hub, agent: str, directory: str, id: str) -> PastConversation:
    """Of an agent that can go on with it in another place than it was led in."""
    if capabilities_of(agent_config(agent, hub.settings)).past != "taken up":
        raise NotPossible(
            f"agent {agent} goes on with a conversation only where it was led, not in a worktree",
            hint="go on with it in the agent's own program, or give a new session its outcome",
        )
    known = await conversations_in(hub, agent, Path(directory))
    found = [c for c in known if c.id == id or (len(id) >= 6 and c.id.startswith(id))]
    if len(found) != 1:
        raise NotFound(
            f"{agent} keeps no conversation {id!r} for {directory}",
            hint="`manyhands past` lists them",
        )
    return found[0]
