"""Routes of landing: issues in; conflicts; commits, merges and pull requests out."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Controller
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from manyhands.api.route import GivenCommand, GivenHub, does, get, post, reads
from manyhands.api.session_routes import SESSION
from manyhands.contract import landing as c
from manyhands.hub.core.names import require_session
from manyhands.hub.landing.commit import asked_proposal, commit, proposal
from manyhands.hub.landing.merge import merge
from manyhands.hub.landing.merge_pr import merge_pr
from manyhands.hub.landing.pr import plan_pr, pr
from manyhands.hub.landing.pr_status import pr_status
from manyhands.hub.landing.review_drafts import act_on_draft
from manyhands.hub.landing.update import abort_update, update
from manyhands.hub.landing.watch import set_watch
from manyhands.hub.landing.ways import landing_ways
from manyhands.hub.radar.hunks import conflict_hunks
from manyhands.hub.radar.order import landing_order
from manyhands.hub.radar.radar import conflicts
from manyhands.hub.repos.bases import base_of
from manyhands.hub.trackers.issues import list_issues, trackers
from manyhands.hub.trackers.proposals import propose
from manyhands.hub.train import cars
from manyhands.model.landing.events import ReviewDraft
from manyhands.model.landing.landing import Landing

Numbers = Annotated[list[int] | None, QueryParameter(name="number")]
Refs = Annotated[list[str] | None, QueryParameter(name="ref")]
Paths = Annotated[list[str] | None, QueryParameter(name="path")]
Sessions = Annotated[list[str] | None, QueryParameter(name="session")]


class LandingRoutes(Controller):
    path = "/api"

    @get("/issues")
    async def issues(
        self,
        *,
        hub: GivenHub,
        repo: FromQuery[str],
        search: FromQuery[str] = "",
        tracker: FromQuery[str] = "",
        mine: FromQuery[bool] = False,
        limit: FromQuery[int] = 100,
        refs: Refs = None,
        numbers: Numbers = None,
    ) -> list[c.IssueView]:
        named = [*(refs or ()), *map(str, numbers or ())]
        return await list_issues(hub, repo, search, named, tracker=tracker, mine=mine, limit=limit)

    @get("/conflicts/order")
    async def landing_order(
        self, hub: GivenHub, sessions: Sessions = None, fresh: FromQuery[bool] = False
    ) -> list[c.LandingTurn]:
        return await landing_order(hub, tuple(sessions or ()), fresh=fresh)

    @get("/sessions/{ref:str}/landing")
    async def landing(self, hub: GivenHub, ref: FromPath[str]) -> Landing:
        return require_session(hub.state, ref).landing

    @get("/sessions/{ref:str}/commit")
    async def proposal(self, hub: GivenHub, ref: FromPath[str], paths: Paths = None) -> c.Proposal:
        return await proposal(hub, ref, tuple(paths or ()))

    @post("/sessions/{ref:str}/update")
    async def update(
        self, hub: GivenHub, ref: FromPath[str], data: JSONBody[c.UpdateRequest]
    ) -> c.UpdateView:
        if data.abort:
            return await abort_update(hub, ref)
        return await update(hub, ref, method=data.method)

    @post("/sessions/{ref:str}/pr/drafts")
    async def act_on_draft(
        self,
        hub: GivenHub,
        command: GivenCommand,
        ref: FromPath[str],
        data: JSONBody[c.DraftAction],
    ) -> ReviewDraft:
        return await act_on_draft(hub, ref, data, command=command)


ROUTES: list[Any] = [
    LandingRoutes,
    reads("/api/trackers", trackers),
    reads("/api/conflicts", conflicts),
    reads(f"{SESSION}/landing/ways", landing_ways),
    reads("/api/conflicts/hunks", conflict_hunks),
    does(f"{SESSION}/proposals", propose),
    reads(f"{SESSION}/base", base_of),
    does(f"{SESSION}/commit/message", asked_proposal),
    does(f"{SESSION}/commit", commit),
    does(f"{SESSION}/merge", merge, c.Merging),
    reads(f"{SESSION}/pr/plan", plan_pr),
    does(f"{SESSION}/pr", pr),
    reads(f"{SESSION}/pr", pr_status),
    does(f"{SESSION}/pr/watch", set_watch),
    does(f"{SESSION}/pr/merge", merge_pr),
    reads("/api/train", cars.trains),
    reads("/api/train/cars", cars.all_cars),
    does("/api/train/add", cars.add_cars),
    does("/api/train/remove", cars.remove_cars),
    does("/api/train/move", cars.move_car),
    does("/api/train/pause", cars.pause_train),
    does("/api/train/resume", cars.resume_train),
]
