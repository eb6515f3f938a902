"""Publishes what was committed, and live frames, to whoever follows a topic of it.

Each subscription has a bounded buffer. A reader that does not keep up is cut off and
resumes from the last number it saw; the others never wait for it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence

import msgspec

from manyhands.contract.live import Piece, pack
from manyhands.hub.core.hub import Hub, Reactor
from manyhands.model import events as e
from manyhands.model.clock import Instant, now
from manyhands.model.ids import MessageId, SessionId
from manyhands.model.live import Patched, Spoken, TextDelta
from manyhands.store import Batch

MOST_BUFFERED = 16 * 1024 * 1024
EVENTS, SESSION, GLANCE = "events", "session", "glance"
"""Kinds of topics with frames, of `KIND/ID`. Of the first they go out as they are, and it alone
is the topic of every session's."""
_encode = msgspec.json.Encoder().encode


class Packed(bytes):
    """A binary frame, whole; other entries are parts of JSON arrays."""


Past = Callable[[], AsyncIterator[bytes]]
"""What a reader who joins gets first; read only when its turn has come."""


def session_of(topic: str) -> SessionId:
    """Whose frames it tells; empty: of none, or of all."""
    kind, _, session = topic.partition("/")
    return SessionId(session if kind in (EVENTS, SESSION, GLANCE) else "")


class Subscription:
    """Entries in commit order, taken in as large portions as have gathered.

    `cut` is set when the reader fell behind by more than the buffer holds.
    """

    def __init__(self) -> None:
        self.topics: set[str] = set()
        self._entries: list[bytes | Past] = []
        self._bytes = 0
        self.cut = asyncio.Event()
        self._there = asyncio.Event()

    def put(self, entry: bytes | Past) -> None:
        if self.cut.is_set():
            return
        self._entries.append(entry)
        self._bytes += len(entry) if isinstance(entry, bytes) else 0
        if self._bytes > MOST_BUFFERED:
            self.cut.set()
            self._entries.clear()
        self._there.set()

    async def take(self) -> list[bytes | Past]:
        """Everything that has gathered; waits for at least one entry."""
        await self._there.wait()
        taken, self._entries, self._bytes = self._entries, [], 0
        self._there.clear()
        return taken


class Feed(Reactor):
    def __init__(self, hub: Hub | None = None) -> None:
        self._readers: dict[str, set[Subscription]] = {}
        self._followed: dict[SessionId, set[str]] = defaultdict(set)
        self._saying: dict[tuple[SessionId, MessageId, bool], TextDelta] = {}
        self._heard: dict[SessionId, Instant] = {}

    def unsubscribe(self, subscription: Subscription) -> None:
        for topic in tuple(subscription.topics):
            self.leave(subscription, topic)

    def join(self, subscription: Subscription, topic: str) -> None:
        subscription.topics.add(topic)
        self._readers.setdefault(topic, set()).add(subscription)
        if session := session_of(topic):
            self._followed[session].add(topic)

    def leave(self, subscription: Subscription, topic: str) -> None:
        subscription.topics.discard(topic)
        self._readers[topic].discard(subscription)
        if self._readers[topic]:
            return
        del self._readers[topic]
        session = session_of(topic)
        self._followed[session].discard(topic)
        if not self._followed[session]:
            del self._followed[session]

    def has_readers(self, topic: str) -> bool:
        """Whether anybody does."""
        return topic in self._readers

    @property
    def is_read(self) -> bool:
        """Whether anybody follows anything."""
        return bool(self._readers)

    def tell(self, topic: str, entry: bytes) -> None:
        for subscription in self._readers.get(topic, ()):
            subscription.put(entry)

    def tell_bytes(self, topic: str, payload: bytes) -> None:
        """For what is no JSON."""
        self.tell(topic, Packed(pack(topic, payload)))

    def committed(self, batch: Batch) -> None:
        """Whatever many get is made once; nothing is made for nobody."""
        self._forget_finished(batch.events)
        if EVENTS in self._readers:
            self.tell(EVENTS, b",".join([item.wire for item in batch.items]))
        if not self._followed:
            return
        wires: dict[SessionId, list[bytes]] = defaultdict(list)
        for item in batch.items:
            if item.session in self._followed:
                wires[item.session].append(item.wire)
        for session, bodies in wires.items():
            self._tell_session(session, bodies)

    def heard(self, session: SessionId) -> Instant:
        """When live text last came; the log knows only what was finished."""
        return self._heard.get(session, "")

    def live(self, frames: Iterable[Spoken]) -> None:
        for frame in frames:
            self._heard[frame.session] = now()
            if isinstance(frame, TextDelta):
                self._remember(frame)
            if EVENTS in self._readers or frame.session in self._followed:
                body = _encode(frame)
                self.tell(EVENTS, body)
                self._tell_session(frame.session, [body])

    def show(self, viewer: Subscription, frame: Patched) -> None:
        """To this one alone, wherever it follows the session closely."""
        topics = {EVENTS, *(f"{kind}/{frame.session}" for kind in (EVENTS, SESSION))}
        for topic in viewer.topics & topics:
            viewer.put(piece(topic, [_encode(frame)]))

    def _tell_session(self, session: SessionId, bodies: list[bytes]) -> None:
        for topic in self._followed.get(session, ()):
            self.tell(topic, piece(topic, bodies))

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


def piece(
    topic: str, bodies: Iterable[bytes], *, begins: bool = False, past: bool = False
) -> bytes:
    """Events and live frames as the topic's readers get them."""
    if topic.startswith(EVENTS):
        return b",".join(bodies)
    frames = tuple(map(msgspec.Raw, bodies))
    return _encode(Piece(topic=topic, frames=frames, begins=begins, past=past))
