"""What was used, by day, session and model; from the log, so a restart changes nothing."""

from __future__ import annotations

import asyncio

from manyhands.hub.hub import Hub
from manyhands.model.clock import now
from manyhands.model.usage import Cell, Usage


async def usage(hub: Hub, *, since: str = "") -> list[Cell]:
    """The cells of the days from `since` on, oldest first."""
    facts = await hub.store.usage_facts()
    sessions = dict(hub.state.all_sessions())

    def folded() -> list[Cell]:
        fold = Usage(sessions)
        fold.take(facts)
        return [cell for cell in fold.cells(now()) if cell.day >= since]

    return await asyncio.to_thread(folded)
