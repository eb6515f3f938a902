"""Routes of sessions: one per operation of the hub, with the operation's name."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Controller
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.response import Response

from manyhands.api.commands import OWN
from manyhands.api.route import FAILURES, GivenCommand, GivenHub, does, get, post, reads
from manyhands.contract import sessions as c
from manyhands.contract.attention import Settling
from manyhands.contract.box import BoxChoice
from manyhands.contract.files import FileView, OpenPath
from manyhands.contract.services import ServiceChoice, ServiceLogView
from manyhands.hub.archive.archive import archive
from manyhands.hub.archive.restore import restore
from manyhands.hub.archive.rm import rm
from manyhands.hub.attention.answer import answer
from manyhands.hub.attention.rules import audit
from manyhands.hub.creation import db
from manyhands.hub.creation.adopt import adopt
from manyhands.hub.creation.fork import fork
from manyhands.hub.creation.new import new
from manyhands.hub.creation.resume import resume
from manyhands.hub.files.checkpoints import checkpoints
from manyhands.hub.files.files import diff, file, files, open_session
from manyhands.hub.files.rewind import rewind
from manyhands.hub.fleet import change
from manyhands.hub.fleet.conversations import converse
from manyhands.hub.fleet.say import delete_follow_up, edit_follow_up, follow_ups, say
from manyhands.hub.fleet.stop import stop
from manyhands.hub.insight.status import last_events, list_sessions, log, show
from manyhands.hub.services.services import (
    all_services,
    restart_service,
    service_log,
    services,
    start_service,
    stop_service,
)
from manyhands.hub.terminals import terminals
from manyhands.hub.terminals.take import give, take
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.workspace.diff import Diff

After = Annotated[int, QueryParameter(ge=0, le=2**53)]
Turn = Annotated[int | None, QueryParameter(ge=0, le=2**53)]
Limit = Annotated[int, QueryParameter(ge=1, le=10_000)]
From = Annotated[int | None, QueryParameter(ge=0, le=2**53)]
Words = Annotated[str, QueryParameter(max_length=1000)]
Held = Annotated[float, QueryParameter(ge=0, le=60)]
LastLimit = Annotated[int, QueryParameter(ge=1, le=1000)]
# The bodies go out as they are stored, so their shape cannot be read from a type.
EVENTS = {**FAILURES, 200: ResponseSpec(list[dict[str, Any]], generate_examples=False)}
SESSION = "/api/sessions/{ref:str}"
TERMINAL = f"{SESSION}/terminals/{{name:str}}"


class Sessions(Controller):
    path = "/api/sessions"

    @get()
    async def ls(
        self, hub: GivenHub, all: FromQuery[bool] = False, attention: FromQuery[bool] = False
    ) -> list[c.SessionView]:
        return list_sessions(hub, archived=all, attention=attention)

    @post("/{ref:str}/effort")
    async def effort(
        self, hub: GivenHub, ref: FromPath[str], data: JSONBody[c.EffortChoice]
    ) -> c.SessionView:
        return await change.set_effort(hub, ref, data.effort or "")

    @post("/{ref:str}/answer", opt=OWN)
    async def answer(
        self, hub: GivenHub, command: GivenCommand, ref: FromPath[str], data: JSONBody[Settling]
    ) -> Attention:
        rule = data.rule or ""
        resolution = Resolution(data.options, data.text, rule=rule, pattern=data.pattern)
        return await answer(hub, ref, data.item, resolution, command=command)

    @get("/{ref:str}/diff")
    async def diff(
        self,
        hub: GivenHub,
        ref: FromPath[str],
        patch: FromQuery[bool] = True,
        path: FromQuery[str | None] = None,
        turn: Turn = None,
    ) -> Diff:
        return await diff(hub, ref, patch=patch, path=path, turn=turn)

    @get("/{ref:str}/files/{place:path}")
    async def file(self, hub: GivenHub, ref: FromPath[str], place: FromPath[str]) -> FileView:
        return await file(hub, ref, place.removeprefix("/"))

    @get("/{ref:str}/services/{name:str}/log")
    async def service_log(
        self,
        hub: GivenHub,
        ref: FromPath[str],
        name: FromPath[str],
        after: From = None,
        find: Words = "",
        wait: Held = 0.0,
    ) -> ServiceLogView:
        return await service_log(hub, ref, name, after, find, wait)

    @get("/{ref:str}/events", media_type="application/json", responses=EVENTS)
    async def log(
        self, hub: GivenHub, ref: FromPath[str], after: After = 0, limit: Limit = 1000
    ) -> Response[bytes]:
        return _array(await log(hub, ref, after=after, limit=limit))

    @get("/{ref:str}/last", media_type="application/json", responses=EVENTS)
    async def last(
        self, hub: GivenHub, ref: FromPath[str], limit: LastLimit = 100
    ) -> Response[bytes]:
        """The last events of the session, oldest first."""
        return _array(await last_events(hub, ref, limit))


def _array(bodies: list[bytes]) -> Response[bytes]:
    return Response(b"[" + b",".join(bodies) + b"]", media_type="application/json")


ROUTES: list[Any] = [
    Sessions,
    does("/api/sessions", new, status_code=201),
    does("/api/sessions/adopt", adopt, status_code=201),
    reads(SESSION, show),
    does(f"{SESSION}/say", say),
    does(f"{SESSION}/conversations", converse),
    reads(f"{SESSION}/follow-ups", follow_ups),
    does(f"{SESSION}/follow-ups/{{id:str}}", edit_follow_up, c.Text),
    does(f"{SESSION}/follow-ups/{{id:str}}/delete", delete_follow_up),
    does(f"{SESSION}/stop", stop),
    does(f"{SESSION}/resume", resume),
    does(f"{SESSION}/read", change.read),
    does(f"{SESSION}/rename", change.rename, c.Title),
    does(f"{SESSION}/mode", change.set_mode, c.ModeChoice),
    does(f"{SESSION}/model", change.set_model, c.ModelChoice),
    does(f"{SESSION}/budget", change.set_budget, c.BudgetChoice),
    does(f"{SESSION}/box", change.set_box, BoxChoice),
    reads(f"{SESSION}/audit", audit),
    reads(f"{SESSION}/files", files),
    does(f"{SESSION}/open", open_session, OpenPath),
    reads(f"{SESSION}/checkpoints", checkpoints),
    does(f"{SESSION}/rewind", rewind, c.RewindRequest),
    does(f"{SESSION}/fork", fork, c.Forking, status_code=201),
    does(f"{SESSION}/archive", archive, c.ArchiveRequest),
    does(f"{SESSION}/restore", restore),
    does(f"{SESSION}/rm", rm, c.Removing),
    reads(f"{SESSION}/terminals", terminals.terminals),
    does(f"{SESSION}/terminals", terminals.open_terminal),
    does(f"{TERMINAL}/change", terminals.change_terminal),
    does(f"{TERMINAL}/kill", terminals.kill_terminal),
    does(f"{TERMINAL}/restart", terminals.restart_terminal),
    does(f"{TERMINAL}/close", terminals.close_terminal),
    does(f"{SESSION}/take", take),
    does(f"{SESSION}/give", give),
    reads(f"{SESSION}/db", db.list_databases),
    does(f"{SESSION}/db/reset", db.reset),
    does(f"{SESSION}/db/drop", db.drop),
    reads("/api/services", all_services),
    reads(f"{SESSION}/services", services),
    does(f"{SESSION}/services/start", start_service, ServiceChoice),
    does(f"{SESSION}/services/stop", stop_service, ServiceChoice),
    does(f"{SESSION}/services/restart", restart_service, ServiceChoice),
]
