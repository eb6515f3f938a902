"""Routes of the hub itself: status, repositories, agents, the inbox, waiting, links and tokens."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Request
from litestar.datastructures import State as AppState
from litestar.params import FromQuery, JSONBody
from litestar.response import Response

from manyhands.api.route import get, post
from manyhands.hub import doctor as doctor_operation
from manyhands.hub.agents import agents as list_agents
from manyhands.hub.finding import Finding
from manyhands.hub.inbox import inbox, next_item
from manyhands.hub.repos import add_repo, list_repos, repo_bringing, trust_repo
from manyhands.hub.shutdown import shut_down
from manyhands.hub.status import HubStatus, status
from manyhands.hub.trust import Bringing
from manyhands.hub.wait import Goal, Waited, wait
from manyhands.model.attention import Attention
from manyhands.model.views import AgentView, RepoView

LONGEST_WAIT = 7 * 24 * 3600.0


class RepoPath(msgspec.Struct, forbid_unknown_fields=True):
    path: str


class Trusting(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    digest: str = ""
    """As `runnable` told it: refuses where the content is another by now."""


class Waiting(msgspec.Struct, forbid_unknown_fields=True, rename={"goal": "for"}):
    sessions: Annotated[list[str], msgspec.Meta(min_length=1, max_length=1000)]
    goal: Goal = "idle"
    timeout: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_WAIT)] | None = None


class Mending(msgspec.Struct, forbid_unknown_fields=True):
    fix: bool = False


class Down(msgspec.Struct, forbid_unknown_fields=True):
    all: bool = False


class Link(msgspec.Struct, frozen=True):
    url: str
    others: tuple[str, ...] = ()


class Code(msgspec.Struct, forbid_unknown_fields=True):
    code: str


@get("/api/status")
async def hub_status(state: AppState) -> HubStatus:
    return status(state.hub, state.url)


@get("/api/agents")
async def agents(state: AppState) -> list[AgentView]:
    return await list_agents(state.hub)


@get("/api/repos")
async def repos(state: AppState) -> list[RepoView]:
    return list_repos(state.hub)


@post("/api/repos", status_code=200)
async def repo_add(state: AppState, data: JSONBody[RepoPath]) -> RepoView:
    return await add_repo(state.hub, data.path)


@post("/api/repos/trust", status_code=200)
async def repo_trust(state: AppState, data: JSONBody[Trusting]) -> RepoView:
    return await trust_repo(state.hub, data.path, digest=data.digest)


@get("/api/repos/runnable")
async def repo_runnable(state: AppState, repo: FromQuery[str] = "") -> Bringing:
    return await repo_bringing(state.hub, repo)


@get("/api/attention")
async def attention(state: AppState) -> list[Attention]:
    return inbox(state.hub)


@get("/api/attention/next")
async def attention_next(state: AppState) -> Attention:
    return next_item(state.hub)


@post("/api/wait", status_code=200)
async def wait_for(state: AppState, data: JSONBody[Waiting]) -> Waited:
    return await wait(state.hub, data.sessions, data.goal, data.timeout)


@get("/api/doctor")
async def doctor(state: AppState) -> list[Finding]:
    return await doctor_operation.doctor(state.hub)


@post("/api/doctor", status_code=200)
async def doctor_fix(state: AppState, data: JSONBody[Mending]) -> list[Finding]:
    return await doctor_operation.doctor(state.hub, fix=data.fix)


@post("/api/down", status_code=200)
async def down(state: AppState, data: JSONBody[Down]) -> dict[str, bool]:
    await shut_down(state.hub, keepers=data.all)
    return {"down": True}


@post("/api/link", status_code=200)
async def link(state: AppState) -> Link:
    """One-time links: to this machine, and for each other name of the hub one of its own."""
    first, *others = (f"{url}/#code={state.tokens.link()}" for url in (state.url, *state.elsewhere))
    return Link(first, tuple(others))


@post("/api/exchange", status_code=200)
async def exchange(state: AppState, data: JSONBody[Code]) -> dict[str, str]:
    return {"token": await state.tokens.exchange(data.code)}


@post("/api/ticket", status_code=200)
async def ticket(state: AppState, request: Request[Any, Any, Any]) -> dict[str, str]:
    return {"ticket": state.tokens.ticket(request.scope["state"]["principal"])}


@post("/api/rotate", status_code=200)
async def rotate(state: AppState) -> Response[None]:
    """Void every human token; the command line reads the new one from the home."""
    await state.tokens.rotate()
    return Response(None, status_code=200)


ROUTES: list[Any] = [
    hub_status,
    agents,
    repos,
    repo_add,
    repo_trust,
    repo_runnable,
    attention,
    attention_next,
    wait_for,
    doctor,
    doctor_fix,
    down,
    link,
    exchange,
    ticket,
    rotate,
]
