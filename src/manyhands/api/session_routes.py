"""Routes of sessions: one per operation of the hub, with the operation's name."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Controller, Request
from litestar.datastructures import State as AppState
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.response import Response

from manyhands.api.route import FAILURES, get, post
from manyhands.git.diff import Diff
from manyhands.hub import change
from manyhands.hub.adopt import Adopt, adopt
from manyhands.hub.answer import answer
from manyhands.hub.archive import Plan, archive
from manyhands.hub.checkpoints import CheckpointView, checkpoints
from manyhands.hub.diff import diff
from manyhands.hub.fork import fork
from manyhands.hub.log import log
from manyhands.hub.new import New, new
from manyhands.hub.restore import restore
from manyhands.hub.resume import resume
from manyhands.hub.rewind import rewind
from manyhands.hub.rm import rm
from manyhands.hub.say import Said, Words, say
from manyhands.hub.status import list_sessions, show
from manyhands.hub.stop import stop
from manyhands.model.attention import Attention, Resolution
from manyhands.model.events import Mode, RuleKind
from manyhands.model.ids import CommandId
from manyhands.model.views import AdoptedView, NewView, SessionView

After = Annotated[int, QueryParameter(ge=0, le=2**53)]
Turn = Annotated[int | None, QueryParameter(ge=0, le=2**53)]
Limit = Annotated[int, QueryParameter(ge=1, le=10_000)]
AnyRequest = Request[Any, Any, Any]
# The bodies go out as they are stored, so their shape cannot be read from a type.
EVENTS = {**FAILURES, 200: ResponseSpec(list[dict[str, Any]], generate_examples=False)}


class Settling(msgspec.Struct, forbid_unknown_fields=True):
    options: tuple[str, ...] = ()
    text: str = ""
    item: str = ""
    rule: RuleKind | None = None
    pattern: str = ""


class Archiving(msgspec.Struct, forbid_unknown_fields=True):
    dry_run: bool = False


class Rewinding(msgspec.Struct, forbid_unknown_fields=True):
    checkpoint: str


class Forking(msgspec.Struct, forbid_unknown_fields=True):
    checkpoint: str = ""


class Removing(msgspec.Struct, forbid_unknown_fields=True):
    yes: bool = False
    dry_run: bool = False


class Title(msgspec.Struct, forbid_unknown_fields=True):
    title: str


class ModeChoice(msgspec.Struct, forbid_unknown_fields=True):
    mode: Mode


class ModelChoice(msgspec.Struct, forbid_unknown_fields=True):
    model: str


def command_of(request: AnyRequest) -> CommandId | None:
    """The sender's name for this command: sent again, it changes nothing."""
    given = request.headers.get("command-id", "")
    return CommandId(f"{request.url.path} {given[:200]}") if given else None


class Sessions(Controller):
    path = "/api/sessions"

    @get()
    async def ls(
        self, state: AppState, all: FromQuery[bool] = False, attention: FromQuery[bool] = False
    ) -> list[SessionView]:
        return list_sessions(state.hub, archived=all, attention=attention)

    @post()
    async def new(self, state: AppState, request: AnyRequest, data: JSONBody[New]) -> NewView:
        return await new(state.hub, data, command=command_of(request))

    @post("/adopt")
    async def adopt(
        self, state: AppState, request: AnyRequest, data: JSONBody[Adopt]
    ) -> AdoptedView:
        return await adopt(state.hub, data, command=command_of(request))

    @get("/{ref:str}")
    async def show(self, state: AppState, ref: FromPath[str]) -> SessionView:
        return show(state.hub, ref)

    @post("/{ref:str}/say", status_code=200)
    async def say(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], data: JSONBody[Words]
    ) -> Said:
        return await say(state.hub, ref, data, command=command_of(request))

    @post("/{ref:str}/stop", status_code=200)
    async def stop(self, state: AppState, ref: FromPath[str]) -> SessionView:
        return await stop(state.hub, ref)

    @post("/{ref:str}/resume", status_code=200)
    async def resume(self, state: AppState, ref: FromPath[str]) -> SessionView:
        return await resume(state.hub, ref)

    @post("/{ref:str}/read", status_code=200)
    async def read(self, state: AppState, ref: FromPath[str]) -> SessionView:
        return await change.read(state.hub, ref)

    @post("/{ref:str}/rename", status_code=200)
    async def rename(
        self, state: AppState, ref: FromPath[str], data: JSONBody[Title]
    ) -> SessionView:
        return await change.rename(state.hub, ref, data.title)

    @post("/{ref:str}/mode", status_code=200)
    async def mode(
        self, state: AppState, ref: FromPath[str], data: JSONBody[ModeChoice]
    ) -> SessionView:
        return await change.set_mode(state.hub, ref, data.mode)

    @post("/{ref:str}/model", status_code=200)
    async def model(
        self, state: AppState, ref: FromPath[str], data: JSONBody[ModelChoice]
    ) -> SessionView:
        return await change.set_model(state.hub, ref, data.model)

    @post("/{ref:str}/answer", status_code=200)
    async def answer(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], data: JSONBody[Settling]
    ) -> Attention:
        rule = data.rule or ""
        resolution = Resolution(data.options, data.text, rule=rule, pattern=data.pattern)
        return await answer(state.hub, ref, data.item, resolution, command=command_of(request))

    @get("/{ref:str}/diff")
    async def diff(
        self,
        state: AppState,
        ref: FromPath[str],
        patch: FromQuery[bool] = True,
        path: FromQuery[str | None] = None,
        turn: Turn = None,
    ) -> Diff:
        return await diff(state.hub, ref, patch=patch, path=path, turn=turn)

    @get("/{ref:str}/checkpoints")
    async def checkpoints(self, state: AppState, ref: FromPath[str]) -> list[CheckpointView]:
        return checkpoints(state.hub, ref)

    @post("/{ref:str}/rewind", status_code=200)
    async def rewind(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], data: JSONBody[Rewinding]
    ) -> SessionView:
        return await rewind(state.hub, ref, data.checkpoint, command=command_of(request))

    @post("/{ref:str}/fork")
    async def fork(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], data: JSONBody[Forking]
    ) -> SessionView:
        return await fork(state.hub, ref, data.checkpoint, command=command_of(request))

    @post("/{ref:str}/rm", status_code=200)
    async def rm(self, state: AppState, ref: FromPath[str], data: JSONBody[Removing]) -> Plan:
        return await rm(state.hub, ref, yes=data.yes, dry_run=data.dry_run)

    @get("/{ref:str}/events", media_type="application/json", responses=EVENTS)
    async def log(
        self, state: AppState, ref: FromPath[str], after: After = 0, limit: Limit = 1000
    ) -> Response[bytes]:
        bodies = await log(state.hub, ref, after=after, limit=limit)
        return Response(b"[" + b",".join(bodies) + b"]", media_type="application/json")

    @post("/{ref:str}/archive", status_code=200)
    async def archive(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], data: JSONBody[Archiving]
    ) -> Plan:
        command = command_of(request)
        return await archive(state.hub, ref, dry_run=data.dry_run, command=command)

    @post("/{ref:str}/restore", status_code=200)
    async def restore(
        self, state: AppState, request: AnyRequest, ref: FromPath[str]
    ) -> SessionView:
        return await restore(state.hub, ref, command=command_of(request))
