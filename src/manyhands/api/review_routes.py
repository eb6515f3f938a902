"""Routes of reviews: what is looked at, and what a person says of it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from litestar import Controller
from litestar.datastructures import State as AppState
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from manyhands.api.route import get, post
from manyhands.api.session_routes import AnyRequest, command_of
from manyhands.git.diff import Diff
from manyhands.hub import comment
from manyhands.hub.comment import Drafting
from manyhands.hub.revert import Reverted, Reverting, apply_suggestion, revert
from manyhands.hub.review import CommentView, ReviewView, review
from manyhands.hub.review_diff import (
    Contents,
    Listing,
    list_changes,
    load_contents,
    load_patches,
    open_changes,
)
from manyhands.hub.review_send import Sending, SentReview, send
from manyhands.hub.verdict import give_verdict, withdraw_verdict
from manyhands.hub.viewed import ViewedFile, Viewing, set_viewed
from manyhands.model.anchor import Side
from manyhands.model.views import SessionView

Paths = Annotated[list[str], QueryParameter(name="path", max_items=500)]


class Judging(msgspec.Struct, forbid_unknown_fields=True):
    """`tree` is what the person has seen; "none" takes an earlier verdict back."""

    verdict: Literal["none", "commented", "approved"]
    tree: str = ""


class Reviews(Controller):
    path = "/api/sessions/{ref:str}/review"

    @get()
    async def review(self, state: AppState, ref: FromPath[str]) -> ReviewView:
        return await review(state.hub, ref)

    @get("/diff")
    async def changes(
        self,
        state: AppState,
        ref: FromPath[str],
        against: FromQuery[str] = "base",
        ignore_space: FromQuery[bool] = False,
        first: FromQuery[int] = 0,
    ) -> Listing:
        if first:
            return await open_changes(state.hub, ref, against, first, ignore_space=ignore_space)
        return await list_changes(state.hub, ref, against, ignore_space=ignore_space)

    @get("/patches")
    async def patches(
        self,
        state: AppState,
        ref: FromPath[str],
        paths: Paths,
        against: FromQuery[str] = "base",
        ignore_space: FromQuery[bool] = False,
        whole: FromQuery[bool] = False,
    ) -> Diff:
        return await load_patches(
            state.hub, ref, against, paths, ignore_space=ignore_space, whole=whole
        )

    @get("/contents")
    async def contents(
        self,
        state: AppState,
        ref: FromPath[str],
        path: FromQuery[str],
        side: FromQuery[Side] = "new",
        against: FromQuery[str] = "base",
    ) -> Contents:
        return await load_contents(state.hub, ref, path, side, against)

    @post("/comments", status_code=200)
    async def draft(
        self, state: AppState, ref: FromPath[str], data: JSONBody[Drafting]
    ) -> CommentView:
        return await comment.draft(state.hub, ref, data)

    @post("/comments/{id:str}/discard", status_code=200)
    async def discard(self, state: AppState, ref: FromPath[str], id: FromPath[str]) -> ReviewView:
        await comment.discard(state.hub, ref, id)
        return await review(state.hub, ref)

    @post("/comments/{id:str}/resolve", status_code=200)
    async def resolve(self, state: AppState, ref: FromPath[str], id: FromPath[str]) -> CommentView:
        return await comment.resolve(state.hub, ref, id)

    @post("/comments/{id:str}/reopen", status_code=200)
    async def reopen(self, state: AppState, ref: FromPath[str], id: FromPath[str]) -> CommentView:
        return await comment.reopen(state.hub, ref, id)

    @post("/comments/{id:str}/apply", status_code=200)
    async def apply(self, state: AppState, ref: FromPath[str], id: FromPath[str]) -> CommentView:
        return await apply_suggestion(state.hub, ref, id)

    @post("/viewed", status_code=200)
    async def viewed(
        self, state: AppState, ref: FromPath[str], data: JSONBody[Viewing]
    ) -> ViewedFile:
        return await set_viewed(state.hub, ref, data)

    @post("/send", status_code=200)
    async def send(
        self, state: AppState, request: AnyRequest, ref: FromPath[str], data: JSONBody[Sending]
    ) -> SentReview:
        return await send(state.hub, ref, data, command=command_of(request))

    @post("/verdict", status_code=200)
    async def verdict(
        self, state: AppState, ref: FromPath[str], data: JSONBody[Judging]
    ) -> SessionView:
        if data.verdict == "none":
            return await withdraw_verdict(state.hub, ref)
        return await give_verdict(state.hub, ref, data.verdict, tree=data.tree)

    @post("/revert", status_code=200)
    async def revert(
        self, state: AppState, ref: FromPath[str], data: JSONBody[Reverting]
    ) -> Reverted:
        return await revert(state.hub, ref, data)
