"""Routes of the hub itself: status, repositories, the inbox, rules, jobs, config, links, tokens."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from litestar import Controller
from litestar.params import FromQuery, JSONBody, QueryParameter
from litestar.response import Response

from manyhands.api.commands import MEMORY, AnyRequest
from manyhands.api.route import (
    GivenDoors,
    GivenHub,
    GivenPrincipal,
    GivenTokens,
    does,
    get,
    post,
    reads,
)
from manyhands.contract import hub as c
from manyhands.contract.attention import RuleName, RuleView, Snoozing
from manyhands.contract.files import BranchName, DatabaseView
from manyhands.contract.repos import Bringing, RepoPath, Trusting
from manyhands.contract.sessions import Waited, Waiting
from manyhands.git.command_log import command_log
from manyhands.git.runner import load_git_version
from manyhands.hub.attention.inbox import inbox, next_item, snooze
from manyhands.hub.attention.notifying import try_channels
from manyhands.hub.attention.rules import add_rule, remove_rule, rules
from manyhands.hub.creation.db import drop_leak, list_databases
from manyhands.hub.fleet.past import past
from manyhands.hub.fleet.stop import shut_down
from manyhands.hub.insight.config_file import config, set_config, set_setting
from manyhands.hub.insight.doctor import doctor
from manyhands.hub.insight.status import agents, cancel_job, jobs, status, usage, wait
from manyhands.hub.repos.repos import add_repo, list_repos, repo_bringing, trust_repo
from manyhands.model.agent.usage import Cell
from manyhands.model.agent.views import PastConversation
from manyhands.model.repo.git import Trace

Day = Annotated[str, QueryParameter(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]
Most = Annotated[int, QueryParameter(ge=1, le=10_000)]


class TheHub(Controller):
    path = "/api"

    @get("/status")
    async def status(self, hub: GivenHub, doors: GivenDoors) -> c.HubStatus:
        return status(hub, doors.url)

    @get("/machine")
    async def machine(self) -> c.Machine:
        return c.Machine(git=await asyncio.to_thread(load_git_version))

    @get("/repos/runnable")
    async def runnable(self, hub: GivenHub, repo: FromQuery[str] = "") -> Bringing:
        return await repo_bringing(hub, repo)

    @get("/past")
    async def past(
        self, hub: GivenHub, repo: FromQuery[str] = "", agent: FromQuery[str] = ""
    ) -> list[PastConversation]:
        return await past(hub, repo, agent)

    @get("/rules")
    async def rules(
        self, hub: GivenHub, repo: FromQuery[str] = "", session: FromQuery[str] = ""
    ) -> list[RuleView]:
        return rules(hub.state, repo, session)

    @post("/wait", opt=MEMORY)
    async def wait(self, hub: GivenHub, data: JSONBody[Waiting]) -> Waited:
        return await wait(hub, data.sessions, data.goal, data.timeout)

    @get("/databases")
    async def databases(self, hub: GivenHub) -> list[DatabaseView]:
        return list_databases(hub)

    @get("/doctor")
    async def findings(self, hub: GivenHub) -> list[c.Finding]:
        return await doctor(hub)

    @get("/usage")
    async def usage(self, hub: GivenHub, since: Day = "") -> list[Cell]:
        return await usage(hub, since=since)

    @get("/log/commands")
    async def commands(self, limit: Most = 1000) -> list[Trace]:
        return await asyncio.to_thread(command_log.load, limit)

    @post("/down", opt=MEMORY)  # whatever the store is like
    async def down(self, hub: GivenHub, data: JSONBody[c.Down]) -> c.HubEnded:
        await shut_down(hub, keepers=data.all)
        return c.HubEnded()

    @post("/link", opt=MEMORY)
    async def link(self, tokens: GivenTokens, doors: GivenDoors) -> c.Link:
        """One-time links: to this machine, and for each other name of the hub one of its own."""
        places = (doors.url, doors.named, *doors.elsewhere)
        first, named, *others = (f"{url}/#code={tokens.link()}" for url in places)
        return c.Link(first, tuple(others), named)

    @post("/exchange", opt=MEMORY)
    async def exchange(
        self, tokens: GivenTokens, request: AnyRequest, data: JSONBody[c.Code]
    ) -> c.Exchanged:
        """A token of this run: for a link's code, or for a page that an earlier run let in."""
        if not data.key:
            return c.Exchanged(tokens.exchange(data.code))
        if not data.signature:
            return c.Exchanged("", tokens.question())
        host = request.headers["host"]
        return c.Exchanged(tokens.prove(data.key, data.nonce, data.signature, host))

    @post("/page-key", opt=MEMORY)
    async def page_key(
        self, tokens: GivenTokens, request: AnyRequest, data: JSONBody[c.PageKey]
    ) -> Response[None]:
        """The key by which this page comes back to the hub's next run."""
        await tokens.remember(data.key, request.headers["host"])
        return Response(None, status_code=200)

    @post("/ticket", opt=MEMORY)
    async def ticket(self, tokens: GivenTokens, principal: GivenPrincipal) -> c.Ticket:
        return c.Ticket(tokens.ticket(principal))

    @post("/rotate", opt=MEMORY)
    async def rotate(self, tokens: GivenTokens) -> Response[None]:
        """Void every human token; the command line reads the new one from the home."""
        await tokens.rotate()
        return Response(None, status_code=200)


ROUTES: list[Any] = [
    TheHub,
    reads("/api/agents", agents),
    reads("/api/repos", list_repos),
    does("/api/repos", add_repo, RepoPath),
    does("/api/repos/trust", trust_repo, Trusting),
    reads("/api/attention", inbox),
    reads("/api/attention/next", next_item),
    does("/api/attention/{item:str}/snooze", snooze, Snoozing),
    does("/api/notify/test", try_channels),
    does("/api/rules", add_rule),
    does("/api/rules/remove", remove_rule, RuleName),
    reads("/api/jobs", jobs),
    does("/api/jobs/{id:str}/cancel", cancel_job),
    does("/api/databases/drop", drop_leak, BranchName),
    does("/api/doctor", doctor, c.Mending, receipt="memory"),
    reads("/api/config", config),
    does("/api/config", set_config, c.ConfigText, receipt="memory"),
    does("/api/config/setting", set_setting, c.Setting, receipt="memory"),
]
