"""Routes that serve the page's own needs: the end of a log, and the editor of who sits here."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from litestar import Controller
from litestar.datastructures import State as AppState
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.response import Response

from manyhands.api.route import FAILURES, get, post
from manyhands.git.version import GitVersion, load_git_version
from manyhands.hub.log import last_events
from manyhands.hub.open import Opened, open_session

Limit = Annotated[int, QueryParameter(ge=1, le=1000)]
EVENTS = {**FAILURES, 200: ResponseSpec(list[dict[str, Any]], generate_examples=False)}


class Machine(msgspec.Struct, frozen=True):
    """What a first visitor should know of where the hub runs."""

    git: GitVersion


class Opening(msgspec.Struct, forbid_unknown_fields=True):
    path: str = ""
    """A file in the worktree; empty for the worktree itself."""


@get("/api/machine")
async def machine() -> Machine:
    return Machine(git=await asyncio.to_thread(load_git_version))


class PageNeeds(Controller):
    path = "/api/sessions/{ref:str}"

    @post("/open", status_code=200)
    async def open(self, state: AppState, ref: FromPath[str], data: JSONBody[Opening]) -> Opened:
        return await open_session(state.hub, ref, data.path)

    @get("/last", media_type="application/json", responses=EVENTS)
    async def last(
        self, state: AppState, ref: FromPath[str], limit: Limit = 100
    ) -> Response[bytes]:
        """The last events of the session, oldest first."""
        bodies = await last_events(state.hub, ref, limit)
        return Response(b"[" + b",".join(bodies) + b"]", media_type="application/json")
