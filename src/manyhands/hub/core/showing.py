"""Shows the fleet to whoever follows it, and tells a reader who joins a topic what came before.

Views are made once for all readers, and only while there are any. A first change is told at once,
what follows it within a moment together, so that a burst of events costs few views.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import get_args

import msgspec

from manyhands.contract.live import Piece
from manyhands.hub.core.feed import GLANCE, Feed, Subscription, piece, session_of
from manyhands.hub.core.hub import Hub, Reactor
from manyhands.hub.core.views import brief_view
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.jobs.events import JobEvent
from manyhands.model.radar.events import ConflictChanged
from manyhands.model.train.events import TrainEvent
from manyhands.store import Batch

FLEET = "fleet"
EVERY_SECONDS = 0.1
PAGE = 2000
LAST = 120
"""So many events make a glance."""
RECENT = 2000
"""News that lies further back is none."""
NEWS = frozenset(
    str(kind.__struct_config__.tag)
    for kind in (e.PersonNotified, ConflictChanged, *get_args(JobEvent | TrainEvent))
)
"""Types of events that a page minds, whichever sessions it shows."""


class Showing(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._changed: set[SessionId] = set()
        self._news: list[msgspec.Raw] = []
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0

    def committed(self, batch: Batch) -> None:
        if not self._hub.part(Feed).has_readers(FLEET):
            return
        self._changed |= batch.sessions
        self._news += [msgspec.Raw(item.wire) for item in batch.items if item.type in NEWS]
        if self._timer is None and (self._changed or self._news):
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(self._next, loop.time()), self._tell)

    def troubled(self) -> None:
        """It changes how every session looks."""
        self._changed |= set(self._hub.state.all_sessions())
        if self._timer is None and self._hub.part(Feed).has_readers(FLEET):
            self._timer = asyncio.get_running_loop().call_later(0, self._tell)

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _tell(self) -> None:
        self._timer = None
        self._next = asyncio.get_running_loop().time() + EVERY_SECONDS
        sessions = [s for id in self._changed if (s := self._hub.state.session(id))]
        told = Piece(
            topic=FLEET,
            upto=self._hub.store.last_seq,
            views=tuple(brief_view(self._hub, s) for s in sessions if not s.life.gone),
            gone=tuple(s.id for s in sessions if s.life.gone),
            problem=problem_of(self._hub),
            frames=tuple(self._news),
        )
        self._changed.clear()
        self._news.clear()
        self._hub.part(Feed).tell(FLEET, msgspec.json.encode(told))


def problem_of(hub: Hub) -> str:
    trouble = hub.store.trouble
    return "" if trouble is None else f"{trouble.message}. {trouble.hint}"


def knows(hub: Hub, topic: str) -> bool:
    """Whether there is anything to be told of it."""
    return topic == FLEET or session_of(topic) in hub.state.all_sessions()


def join(hub: Hub, subscription: Subscription, topic: str, after: int | None) -> None:
    """Stored events after `after`, none if that is None, and then what comes."""
    # Noted in the same moment: up to here the store tells, from here on the subscription.
    hub.part(Feed).join(subscription, topic)
    told = _whole_fleet if topic == FLEET else _past
    subscription.put(partial(told, hub, subscription, topic, after, hub.store.last_seq))


async def _past(
    hub: Hub, subscription: Subscription, topic: str, after: int | None, upto: int
) -> AsyncIterator[bytes]:
    begins = True
    async for page in _stored(hub, topic, after, upto):
        if topic not in subscription.topics:
            return  # it was left again
        yield piece(topic, page, begins=begins, past=True)
        begins = False
    so_far = hub.part(Feed).so_far(session_of(topic) or None)
    yield piece(topic, so_far, begins=begins)


async def _stored(hub: Hub, topic: str, after: int | None, upto: int) -> AsyncIterator[list[bytes]]:
    session = session_of(topic)
    if after is not None and topic.startswith(GLANCE):
        last = await hub.store.last_events(session, LAST)
        yield [body for seq, body in last if after < seq <= upto]
        return
    while after is not None:
        page = await hub.store.events(after, session=session or None, upto=upto, limit=PAGE)
        if not page:
            return
        yield [body for _, body in page]
        after = page[-1][0]


class _Kind(msgspec.Struct):
    type: str


async def _whole_fleet(
    hub: Hub, subscription: Subscription, topic: str, after: int | None, upto: int
) -> AsyncIterator[bytes]:
    """The views of all that is not archived, and the news since `after`."""
    news: list[bytes] = []
    since = max(after, upto - RECENT) if after else None
    async for page in _stored(hub, topic, since, upto):
        news += [body for body in page if msgspec.json.decode(body, type=_Kind).type in NEWS]
    sessions = hub.state.all_sessions().values()
    whole = Piece(
        topic=topic,
        begins=True,
        upto=upto,
        views=tuple(brief_view(hub, s) for s in sessions if not (s.life.archived or s.life.gone)),
        problem=problem_of(hub),
        frames=tuple(map(msgspec.Raw, news)),
    )
    yield msgspec.json.encode(whole)
