"""Routes of the radar and of landing here: conflicts, merge, update."""

from __future__ import annotations

import msgspec
from litestar import Controller
from litestar.datastructures import State as AppState
from litestar.params import FromPath, FromQuery, JSONBody

from manyhands.api.route import get, post
from manyhands.hub.conflicts import ConflictView, conflicts
from manyhands.hub.merge import MergeView, merge
from manyhands.hub.update import UpdateView, abort_update, update
from manyhands.model.radar_events import MergeMethod, UpdateMethod


class Merging(msgspec.Struct, forbid_unknown_fields=True):
    into: str = ""
    method: MergeMethod = "merge"
    dry_run: bool = False


class Updating(msgspec.Struct, forbid_unknown_fields=True):
    method: UpdateMethod = "merge"
    abort: bool = False


class Radar(Controller):
    path = "/api"

    @get("/conflicts")
    async def conflicts(
        self, state: AppState, overlaps: FromQuery[bool] = False, fresh: FromQuery[bool] = False
    ) -> list[ConflictView]:
        return await conflicts(state.hub, overlaps=overlaps, fresh=fresh)

    @post("/sessions/{ref:str}/merge", status_code=200)
    async def merge(
        self, state: AppState, ref: FromPath[str], data: JSONBody[Merging]
    ) -> MergeView:
        return await merge(state.hub, ref, into=data.into, method=data.method, dry_run=data.dry_run)

    @post("/sessions/{ref:str}/update", status_code=200)
    async def update(
        self, state: AppState, ref: FromPath[str], data: JSONBody[Updating]
    ) -> UpdateView:
        if data.abort:
            return await abort_update(state.hub, ref)
        return await update(state.hub, ref, method=data.method)
