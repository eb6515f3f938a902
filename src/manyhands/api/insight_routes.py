"""Routes to look into things: usage, files of a worktree, the commands run, the user's config."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from litestar import Controller
from litestar.datastructures import State as AppState
from litestar.params import FromPath, JSONBody, QueryParameter

from manyhands.api.route import get, post
from manyhands.git.command_log import Trace, command_log
from manyhands.hub.config_file import ConfigView, config, set_config, set_setting
from manyhands.hub.files import FileList, FileView, file, files
from manyhands.hub.usage import usage
from manyhands.model.usage import Cell

Day = Annotated[str, QueryParameter(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]
Most = Annotated[int, QueryParameter(ge=1, le=10_000)]


class ConfigText(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    digest: str
    """Of the content that the change was made on."""


class Setting(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    value: str | int | float | bool | list[str] | dict[str, str] | None
    digest: str


class Insight(Controller):
    path = "/api"

    @get("/usage")
    async def usage(self, state: AppState, since: Day = "") -> list[Cell]:
        return await usage(state.hub, since=since)

    @get("/log/commands")
    async def commands(self, state: AppState, limit: Most = 1000) -> list[Trace]:
        return await asyncio.to_thread(command_log.load, limit)

    @get("/sessions/{ref:str}/files")
    async def files(self, state: AppState, ref: FromPath[str]) -> FileList:
        return await files(state.hub, ref)

    @get("/sessions/{ref:str}/files/{place:path}")
    async def file(self, state: AppState, ref: FromPath[str], place: FromPath[str]) -> FileView:
        return await file(state.hub, ref, place.removeprefix("/"))

    @get("/config")
    async def config(self, state: AppState) -> ConfigView:
        return await config(state.hub)

    @post("/config", status_code=200)
    async def set_config(self, state: AppState, data: JSONBody[ConfigText]) -> ConfigView:
        return await set_config(state.hub, data.text, data.digest)

    @post("/config/setting", status_code=200)
    async def set_setting(self, state: AppState, data: JSONBody[Setting]) -> ConfigView:
        return await set_setting(state.hub, data.key, data.value, data.digest)
