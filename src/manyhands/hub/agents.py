"""Known and configured agents, and whether they could be started here."""

from __future__ import annotations

import asyncio

from manyhands.agents.catalogue import known_agents
from manyhands.hub.hub import Hub
from manyhands.model.views import AgentView


async def agents(hub: Hub) -> list[AgentView]:
    return await asyncio.to_thread(known_agents, hub.settings, hub.home)
