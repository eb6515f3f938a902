"""Routes of landing: issues in; commits, pull requests and their merges out."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Controller, Request
from litestar.datastructures import State as AppState
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from manyhands.api.route import get, post
from manyhands.api.session_routes import command_of
from manyhands.hub.commit import (
    Commit,
    Committed,
    Proposal,
    Wish,
    asked_proposal,
    commit,
    proposal,
)
from manyhands.hub.issues import IssueView, list_issues
from manyhands.hub.merge_pr import MergePr, PrMerged, merge_pr
from manyhands.hub.names import require_session
from manyhands.hub.pr import OpenPr, PrOpened, PrPlan, plan_pr, pr
from manyhands.hub.pr_status import PrStatus, pr_status
from manyhands.hub.review_drafts import DraftAction, act_on_draft
from manyhands.model.landing import Landing as LandingView
from manyhands.model.landing_events import ReviewDraft

AnyRequest = Request[Any, Any, Any]
Numbers = Annotated[list[int] | None, QueryParameter(name="number")]
Paths = Annotated[list[str] | None, QueryParameter(name="path")]


class Landing(Controller):
    path = "/api"

    @get("/issues")
    async def issues(
        self,
        state: AppState,
        repo: FromQuery[str],
        search: FromQuery[str] = "",
        numbers: Numbers = None,
    ) -> list[IssueView]:
        return await list_issues(state.hub, repo, search, numbers or ())

    @get("/sessions/{ref:str}/landing")
    async def landing(self, state: AppState, ref: FromPath[str]) -> LandingView:
        return require_session(state.hub.state, ref).landing

    @get("/sessions/{ref:str}/commit")
    async def proposal(self, state: AppState, ref: FromPath[str], paths: Paths = None) -> Proposal:
        return await proposal(state.hub, ref, tuple(paths or ()))

    @post("/sessions/{ref:str}/commit/message", status_code=200)
    async def message(self, state: AppState, ref: FromPath[str], data: JSONBody[Wish]) -> Proposal:
        return await asked_proposal(state.hub, ref, data)

    @post("/sessions/{ref:str}/commit", status_code=200)
    async def commit(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], data: JSONBody[Commit]
    ) -> Committed:
        return await commit(state.hub, ref, data, command=command_of(request))

    @get("/sessions/{ref:str}/pr/plan")
    async def plan_pr(
        self, state: AppState, ref: FromPath[str], base: FromQuery[str] = ""
    ) -> PrPlan:
        return await plan_pr(state.hub, ref, base)

    @post("/sessions/{ref:str}/pr", status_code=200)
    async def pr(self, state: AppState, ref: FromPath[str], data: JSONBody[OpenPr]) -> PrOpened:
        return await pr(state.hub, ref, data)

    @get("/sessions/{ref:str}/pr")
    async def pr_status(self, state: AppState, ref: FromPath[str]) -> PrStatus:
        return await pr_status(state.hub, ref)

    @post("/sessions/{ref:str}/pr/drafts", status_code=200)
    async def draft(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], data: JSONBody[DraftAction]
    ) -> ReviewDraft:
        return await act_on_draft(state.hub, ref, data, command=command_of(request))

    @post("/sessions/{ref:str}/pr/merge", status_code=200)
    async def merge_pr(
        self, state: AppState, ref: FromPath[str], data: JSONBody[MergePr]
    ) -> PrMerged:
        return await merge_pr(state.hub, ref, data)
