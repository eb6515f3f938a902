"""Routes of reviews: what is looked at, and what a person says of it."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Controller
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from manyhands.api.route import GivenHub, does, get, post, reads
from manyhands.api.session_routes import SESSION
from manyhands.contract import review as c
from manyhands.contract.sessions import SessionView
from manyhands.hub.review import comment
from manyhands.hub.review.diff import (
    list_changes,
    load_contents,
    load_patches,
    open_changes,
    revert,
    set_viewed,
)
from manyhands.hub.review.send import send
from manyhands.hub.review.verdict import give_verdict, withdraw_verdict
from manyhands.model.review.anchor import Side
from manyhands.model.workspace.diff import Diff

Paths = Annotated[list[str], QueryParameter(name="path", max_items=500)]
REVIEW = f"{SESSION}/review"
COMMENT = f"{REVIEW}/comments/{{id:str}}"


class Reviews(Controller):
    path = REVIEW

    @get("/diff")
    async def changes(
        self,
        hub: GivenHub,
        ref: FromPath[str],
        against: FromQuery[str] = "base",
        ignore_space: FromQuery[bool] = False,
        first: FromQuery[int] = 0,
    ) -> c.Listing:
        if first:
            return await open_changes(hub, ref, against, first, ignore_space=ignore_space)
        return await list_changes(hub, ref, against, ignore_space=ignore_space)

    @get("/patches")
    async def patches(
        self,
        hub: GivenHub,
        ref: FromPath[str],
        paths: Paths,
        against: FromQuery[str] = "base",
        ignore_space: FromQuery[bool] = False,
        whole: FromQuery[bool] = False,
    ) -> Diff:
        return await load_patches(hub, ref, against, paths, ignore_space=ignore_space, whole=whole)

    @get("/contents")
    async def contents(
        self,
        hub: GivenHub,
        ref: FromPath[str],
        path: FromQuery[str],
        side: FromQuery[Side] = "new",
        against: FromQuery[str] = "base",
    ) -> c.Contents:
        return await load_contents(hub, ref, path, side, against)

    @post("/comments/{id:str}/discard")
    async def discard(self, hub: GivenHub, ref: FromPath[str], id: FromPath[str]) -> c.ReviewView:
        await comment.discard(hub, ref, id)
        return await comment.review(hub, ref)

    @post("/verdict")
    async def verdict(
        self, hub: GivenHub, ref: FromPath[str], data: JSONBody[c.Judging]
    ) -> SessionView:
        if data.verdict == "none":
            return await withdraw_verdict(hub, ref)
        return await give_verdict(hub, ref, data.verdict, tree=data.tree)


ROUTES: list[Any] = [
    Reviews,
    reads(REVIEW, comment.review),
    does(f"{REVIEW}/comments", comment.draft),
    does(f"{COMMENT}/resolve", comment.resolve),
    does(f"{COMMENT}/reopen", comment.reopen),
    does(f"{COMMENT}/apply", comment.apply_suggestion),
    does(f"{REVIEW}/viewed", set_viewed),
    does(f"{REVIEW}/send", send),
    does(f"{REVIEW}/revert", revert),
]
