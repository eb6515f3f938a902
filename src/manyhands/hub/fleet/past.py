"""Conversations that an agent keeps of its own accord, to be taken up again as a session.

They are only listed and read. A session that goes on with one does so in a copy: the original
stays as it is.
"""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePath

import msgspec

from manyhands.agents.catalogue import agent_config, agent_directories, agent_spec
from manyhands.agents.claude.history import past_conversations
from manyhands.agents.known import capabilities_of
from manyhands.errors import NotFound, NotPossible, NotTrusted
from manyhands.hub.core import Hub
from manyhands.model.agent.views import PastConversation
from manyhands.model.quoting import quoted
from manyhands.station.repos import find_repo


async def past(hub: Hub, repo: str, agent: str = "") -> list[PastConversation]:
    """What the agent keeps for a repository's main checkout, newest first."""
    name = agent or hub.settings.defaults.agent
    # Only looked at: a repository need not be known to have a past.
    is_path = "\0" not in repo and PurePath(repo).is_absolute()
    found = await find_repo(repo) if is_path else None
    if found is None:
        raise NotFound(f"{repo!r} is no git repository", hint="give its absolute path")
    return await conversations_in(hub, name, found.main)


async def conversations_in(
    hub: Hub, agent: str, directory: str, repo: str = ""
) -> list[PastConversation]:
    """Led in a directory, which is a worktree of `repo` where it is not the repository itself."""
    kind = agent_config(agent, hub.settings).kind
    if kind == "claude":
        env = agent_directories(agent, hub.settings, hub.home)
        found = await asyncio.to_thread(past_conversations, env, Path(directory))
    else:
        found = await _listed(hub, agent, kind, directory, repo or directory)
    return [msgspec.structs.replace(c, agent=agent, directory=directory) for c in found]


async def _listed(
    hub: Hub, agent: str, kind: str, directory: str, path: str
) -> list[PastConversation]:
    """Asked of the agent itself, which may read the directory's settings: only where trusted."""
    # The library takes a second to import: only who needs it pays for it.
    from manyhands.agents.acp import past as acp

    if kind != "acp":
        raise acp.unsupported(agent)
    repo = hub.state.repo(path)
    if repo is None or not repo.trusted:
        raise NotTrusted(
            f"{path} is not trusted yet, so agent {agent} is not asked about it",
            hint=f"look at what it would run, then `manyhands repo trust {quoted(path)}`",
        )
    spec = agent_spec(agent, hub.settings, hub.home, session="past", worktree=directory, repo=path)
    return await acp.past_conversations(spec, Path(directory))


async def require_past(hub: Hub, agent: str, directory: str, id: str) -> PastConversation:
    """Of an agent that can go on with it in another place than it was led in."""
    if capabilities_of(agent_config(agent, hub.settings)).past != "taken up":
        raise NotPossible(
            f"agent {agent} goes on with a conversation only where it was led, not in a worktree",
            hint="go on with it in the agent's own program, or give a new session its outcome",
        )
    known = await conversations_in(hub, agent, directory)
    found = [c for c in known if c.id == id or (len(id) >= 6 and c.id.startswith(id))]
    if len(found) != 1:
        raise NotFound(
            f"{agent} keeps no conversation {id!r} for {directory}",
            hint="`manyhands past` lists them",
        )
    return found[0]
