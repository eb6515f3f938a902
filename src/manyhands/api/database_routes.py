"""Routes of the sessions' databases."""

from __future__ import annotations

import msgspec
from litestar import Controller
from litestar.datastructures import State as AppState
from litestar.params import FromPath, JSONBody

from manyhands.api.route import get, post
from manyhands.hub import db
from manyhands.hub.db import DatabaseView
from manyhands.hub.leaks import drop_leak


class BranchName(msgspec.Struct, forbid_unknown_fields=True):
    name: str


class Databases(Controller):
    path = "/api"

    @get("/databases")
    async def all(self, state: AppState) -> list[DatabaseView]:
        return db.list_databases(state.hub)

    @post("/databases/drop", status_code=200)
    async def drop_leak(self, state: AppState, data: JSONBody[BranchName]) -> DatabaseView:
        return await drop_leak(state.hub, data.name)

    @get("/sessions/{ref:str}/db")
    async def list(self, state: AppState, ref: FromPath[str]) -> list[DatabaseView]:
        return db.list_databases(state.hub, ref)

    @post("/sessions/{ref:str}/db/reset", status_code=200)
    async def reset(self, state: AppState, ref: FromPath[str]) -> DatabaseView:
        return await db.reset(state.hub, ref)

    @post("/sessions/{ref:str}/db/drop", status_code=200)
    async def drop(self, state: AppState, ref: FromPath[str]) -> DatabaseView | None:
        return await db.drop(state.hub, ref)
