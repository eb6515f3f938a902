"""Routes of being in command: follow-ups, effort, budgets, conversations, rules, the past."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Controller
from litestar.datastructures import State as AppState
from litestar.params import FromPath, FromQuery, JSONBody

from manyhands.api.route import get, post
from manyhands.api.session_routes import AnyRequest, command_of
from manyhands.config import Sum
from manyhands.hub import change
from manyhands.hub.audit import AuditLine, audit
from manyhands.hub.conversations import Answered, Opening, converse
from manyhands.hub.follow_ups import delete_follow_up, edit_follow_up, follow_ups
from manyhands.hub.past import past
from manyhands.hub.rules import NewRule, RuleView, add_rule, remove_rule, rules
from manyhands.model.events import Effort
from manyhands.model.session import Message
from manyhands.model.views import PastConversation, SessionView


class Text(msgspec.Struct, forbid_unknown_fields=True):
    text: str


class EffortChoice(msgspec.Struct, forbid_unknown_fields=True):
    effort: Effort | None = None
    """None: the agent's own."""


class BudgetChoice(msgspec.Struct, forbid_unknown_fields=True):
    """None: as configured; what is left out stays as it is."""

    usd: Sum | msgspec.UnsetType | None = msgspec.UNSET
    minutes: Sum | msgspec.UnsetType | None = msgspec.UNSET


class RuleName(msgspec.Struct, forbid_unknown_fields=True):
    id: str


class Command(Controller):
    path = "/api/sessions/{ref:str}"

    @get("/follow-ups")
    async def follow_ups(self, state: AppState, ref: FromPath[str]) -> list[Message]:
        return list(follow_ups(state.hub, ref))

    @post("/follow-ups/{id:str}", status_code=200)
    async def edit_follow_up(
        self,
        state: AppState,
        request: AnyRequest,
        ref: FromPath[str],
        id: FromPath[str],
        data: JSONBody[Text],
    ) -> list[Message]:
        command = command_of(request)
        return list(await edit_follow_up(state.hub, ref, id, data.text, command=command))

    @post("/follow-ups/{id:str}/delete", status_code=200)
    async def delete_follow_up(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], id: FromPath[str]
    ) -> list[Message]:
        return list(await delete_follow_up(state.hub, ref, id, command=command_of(request)))

    @post("/effort", status_code=200)
    async def effort(
        self, state: AppState, ref: FromPath[str], data: JSONBody[EffortChoice]
    ) -> SessionView:
        return await change.set_effort(state.hub, ref, data.effort or "")

    @post("/budget", status_code=200)
    async def budget(
        self, state: AppState, ref: FromPath[str], data: JSONBody[BudgetChoice]
    ) -> SessionView:
        return await change.set_budget(state.hub, ref, data.usd, data.minutes)

    @post("/conversations", status_code=200)
    async def converse(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], data: JSONBody[Opening]
    ) -> Answered:
        return await converse(state.hub, ref, data, command=command_of(request))

    @get("/audit")
    async def audit(self, state: AppState, ref: FromPath[str]) -> list[AuditLine]:
        return await audit(state.hub, ref)


@get("/api/rules")
async def list_rules(
    state: AppState, repo: FromQuery[str] = "", session: FromQuery[str] = ""
) -> list[RuleView]:
    return rules(state.hub.state, repo, session)


@post("/api/rules", status_code=200)
async def make_rule(state: AppState, request: AnyRequest, data: JSONBody[NewRule]) -> RuleView:
    return await add_rule(state.hub, data, command=command_of(request))


@post("/api/rules/remove", status_code=200)
async def drop_rule(
    state: AppState, request: AnyRequest, data: JSONBody[RuleName]
) -> list[RuleView]:
    return await remove_rule(state.hub, data.id, command=command_of(request))


@get("/api/past")
async def list_past(
    state: AppState, repo: FromQuery[str] = "", agent: FromQuery[str] = ""
) -> list[PastConversation]:
    return await past(state.hub, repo, agent)


ROUTES: list[Any] = [Command, list_rules, make_rule, drop_rule, list_past]
