"""Routes of attention: putting an item off, and the channels by which a person is told."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar.datastructures import State as AppState
from litestar.params import FromPath, JSONBody

from manyhands.api.route import post
from manyhands.hub.notifying import Delivered, try_channels
from manyhands.hub.snooze import snooze as snooze_item
from manyhands.model.attention import Attention

LONGEST_SNOOZE = 30 * 24 * 60


class Snoozing(msgspec.Struct, forbid_unknown_fields=True):
    minutes: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_SNOOZE)] = 60


@post("/api/attention/{item:str}/snooze", status_code=200)
async def snooze(state: AppState, item: FromPath[str], data: JSONBody[Snoozing]) -> Attention:
    return await snooze_item(state.hub, item, data.minutes)


@post("/api/notify/test", status_code=200)
async def notify_test(state: AppState) -> list[Delivered]:
    return await try_channels(state.hub)


ATTENTION_ROUTES: list[Any] = [snooze, notify_test]
