"""A way out for commands that run to their end, where nobody waits to be asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

from msgspec.structs import replace

from manyhands.box.network.host_lists import HostLists
from manyhands.box.network.known_hosts import known_hosts, loopback_ports, own_hosts
from manyhands.box.network.way_out import WayOut
from manyhands.box.starting import networked
from manyhands.box.wrapping import surroundings
from manyhands.model.box import Box
from manyhands.model.surroundings import Surroundings


@asynccontextmanager
async def led_out(
    box: Box, env: Mapping[str, str], remotes: Iterable[str]
) -> AsyncIterator[Surroundings]:
    """With what is listed, the registries and the repository's own remotes; any other host is
    refused, in words."""
    if box.by != "bubblewrap" or box.network == "open":
        yield surroundings(box, env)
        return
    lists = HostLists((*box.hosts, *own_hosts(remotes, env)), known_hosts())
    inward = dict.fromkeys((*box.inward, *loopback_ports(env)))
    try:
        async with asyncio.TaskGroup() as tasks:
            way_out = WayOut(replace(box, inward=tuple(inward)), lists.decide, tasks)
            try:
                yield await networked(box, env, way_out)
            finally:
                await way_out.close()
    except BaseExceptionGroup as group:
        # What went wrong with the commands is theirs to tell, and by itself.
        raise group.exceptions[0] from None
