"""Routes of the radar and of landing here: conflicts, merge, update."""

from __future__ import annotations

from litestar import Controller
from litestar.datastructures import State as AppState
from litestar.params import FromQuery

from manyhands.api.route import get
from manyhands.hub.conflicts import ConflictView, conflicts


class Landing(Controller):
    path = "/api"

    @get("/conflicts")
    async def conflicts(
        self, state: AppState, overlaps: FromQuery[bool] = False, fresh: FromQuery[bool] = False
    ) -> list[ConflictView]:
        return await conflicts(state.hub, overlaps=overlaps, fresh=fresh)
