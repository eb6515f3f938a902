"""Publishes what was committed, and live frames, to whoever listens.

Each subscription has a bounded buffer. A reader that does not keep up is cut off and
resumes from the last number it saw; the others never wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import msgspec

from manyhands.model import events as e
from manyhands.model.clock import Instant, now
from manyhands.model.ids import MessageId, SessionId
from manyhands.model.live import AnyLive, TextDelta
from manyhands.store import Batch

MOST_BUFFERED = 16 * 1024 * 1024
_encode = msgspec.json.Encoder().encode


class Subscription:
    """Bodies in commit order, taken in as large portions as have gathered.

    `cut` is set when the reader fell behind by more than the buffer holds.
    """

    def __init__(self, session: SessionId | None) -> None:
        self.session = session
        self._bodies: list[bytes] = []
        self._bytes = 0
        self.cut = asyncio.Event()
        self._there = asyncio.Event()

    def put(self, bodies: Sequence[bytes]) -> None:
        if self.cut.is_set() or not bodies:
            return
        self._bodies.extend(bodies)
        self._bytes += sum(map(len, bodies))
        if self._bytes > MOST_BUFFERED:
            self.cut.set()
            self._bodies.clear()
        self._there.set()

    async def take(self) -> list[bytes]:
        """Everything that has gathered; waits for at least one body."""
        await self._there.wait()
        taken, self._bodies, self._bytes = self._bodies, [], 0
        self._there.clear()
        return taken


class Feed:
    def __init__(self) -> None:
        self._subscriptions: set[Subscription] = set()
        self._saying: dict[tuple[SessionId, MessageId, bool], TextDelta] = {}
        self._heard: dict[SessionId, Instant] = {}

    def subscribe(self, session: SessionId | None = None) -> Subscription:
        subscription = Subscription(session)
        self._subscriptions.add(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        self._subscriptions.discard(subscription)

    def publish(self, batch: Batch) -> None:
        self._forget_finished(batch.events)
        bodies = [item.wire for item in batch.items]
        for subscription in self._subscriptions:
            wanted = subscription.session
            if wanted is None:
                subscription.put(bodies)
            else:
                pairs = zip(batch.items, bodies, strict=True)
                subscription.put([body for item, body in pairs if item.session == wanted])

    def heard(self, session: SessionId) -> Instant:
        """When live text last came; the log knows only what was finished."""
        return self._heard.get(session, "")

    def live(self, frames: Iterable[AnyLive]) -> None:
        for frame in frames:
            self._heard[frame.session] = now()
            if isinstance(frame, TextDelta):
                self._remember(frame)
            body = [_encode(frame)]
            for subscription in self._subscriptions:
                if subscription.session in (None, frame.session):
                    subscription.put(body)

    def so_far(self, session: SessionId | None = None) -> list[bytes]:
        """The text so far of everything being said now, for a reader who joins late."""
        frames = self._saying.values()
        return [_encode(f) for f in frames if session in (None, f.session)]

    def forget(self, session: SessionId) -> None:
        """Nothing is being said in `session` any more."""
        self._heard.pop(session, None)
        for key in [k for k in self._saying if k[0] == session]:
            del self._saying[key]

    def _remember(self, frame: TextDelta) -> None:
        key = (frame.session, frame.message, frame.thinking)
        before = self._saying.get(key)
        if before is not None and before.offset <= frame.offset:
            kept = before.text[: frame.offset - before.offset]
            frame = msgspec.structs.replace(frame, offset=before.offset, text=kept + frame.text)
        self._saying[key] = frame

    def _forget_finished(self, facts: Sequence[e.Fact]) -> None:
        if not self._saying:
            return
        for fact in facts:
            if isinstance(fact, e.AgentMessage | e.AgentThought):
                is_thought = isinstance(fact, e.AgentThought)
                self._saying.pop((fact.session, fact.message, is_thought), None)
            elif isinstance(fact, e.TurnFinished | e.AgentExited):
                self.forget(fact.session)
