"""End the hub; keepers go on unless they are to end too."""

from __future__ import annotations

import asyncio
import logging

from manyhands.hub import keepers
from manyhands.hub.hub import Hub
from manyhands.model.ids import SessionId

log = logging.getLogger(__name__)


async def shut_down(hub: Hub, *, keepers: bool) -> None:
    """Returns when keepers have ended where asked for; the hub ends right after."""
    if keepers:
        living = [s.id for s in hub.state.all_sessions().values() if s.keeper != "none"]
        hub.fleet.rest()
        await asyncio.gather(*(_stop(hub, session) for session in living))
    hub.stopping.set()


async def _stop(hub: Hub, session: SessionId) -> None:
    try:
        await keepers.stop_keeper(hub, session)
    except TimeoutError:
        log.warning("the keeper of %s did not end in time", session)
