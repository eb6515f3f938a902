"""What the writer is asked to do: a unit happens wholly or not at all, and alone bears its error.

A unit's SQL comes after everything in it that may raise, so that dropping its draft is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Protocol, TypeVar

import apsw
import msgspec

from manyhands.model import events as e
from manyhands.model.clock import Instant
from manyhands.model.ids import CommandId, SessionId
from manyhands.model.state import State
from manyhands.store import ledger
from manyhands.store.batch import Decision, ItemsMissing, StaleEpoch
from manyhands.store.door import Door

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
React = Callable[[State, Sequence[e.Fact]], Sequence[e.Fact]]


@dataclass
class Draft:
    """One unit's events, folded on a layer of their own."""

    db: apsw.Connection
    acks: ledger.Acks
    state: State
    at: Instant
    door: Door
    events: list[e.Fact] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def add(self, events: Sequence[e.Fact]) -> list[e.Fact]:
        """Fold the events, without secrets; one without a time gets the batch's."""
        added, bodies = self.door.admit([self._ready(event) for event in events])
        for event in added:
            self.state.apply(event)
        self.bodies += bodies
        self.events += added
        return added

    def _ready(self, event: e.Fact) -> e.Fact:
        if isinstance(event, e.Unknown) or (event.at and not event.seq):
            return event
        return msgspec.structs.replace(event, seq=0, at=event.at or self.at)


class Unit(Protocol[T_co]):
    durable: ClassVar[bool]
    """Whether it must be on the disk itself before anyone hears of it."""

    @property
    def weight(self) -> int:
        """About how many events it brings."""

    def run(self, draft: Draft) -> T_co: ...


@dataclass(frozen=True)
class Write(Generic[T]):
    """Decide on the present state; with a receipt, once for all time."""

    decide: Callable[[State], Decision[T]]
    receipt: CommandId | None = None
    weight: int = 1
    durable: ClassVar[bool] = True

    def run(self, draft: Draft) -> T:
        if self.receipt is None:
            return self._decided(draft)
        done = ledger.receipt(draft.db, self.receipt)
        if done is None:
            done = draft.door.answer(self._decided(draft))
            ledger.set_receipt(draft.db, self.receipt, done)
        # The first answer and every later one are the same JSON-like value.
        result: T = msgspec.json.decode(done)
        return result

    def _decided(self, draft: Draft) -> T:
        # A layer of its own: a decision may apply events there to see where they lead.
        decision = self.decide(draft.state.layer())
        draft.add(decision.events)
        return decision.result


class Take(msgspec.Struct, frozen=True):
    """Take a keeper's items `first`, `first + 1`, …, each once, and what follows from them."""

    session: SessionId
    epoch: int
    first: int
    events: Sequence[e.Fact]
    react: React

    # A kill loses none of it. A power cut may lose the last of it, and the keeper's spool and its
    # agent with it: an fsync for every piece of a stream would protect nothing more.
    durable: ClassVar[bool] = False

    @property
    def weight(self) -> int:
        return len(self.events)

    def run(self, draft: Draft) -> int:
        """The number of the last item taken so far."""
        known = draft.state.session(self.session)
        if known is not None and self.epoch < known.keeper.epoch:
            raise StaleEpoch(self.session, self.epoch, known.keeper.epoch)
        acked = draft.acks.upto(self.session, self.epoch)
        if self.first > acked + 1:
            raise ItemsMissing(self.session, self.first, acked)
        fresh = self.events[acked + 1 - self.first :]
        if not fresh:
            return acked
        taken = draft.add(fresh)
        draft.add(self.react(draft.state.layer(), taken))
        upto = acked + len(fresh)
        draft.acks.set(self.session, self.epoch, upto)
        return upto


@dataclass(frozen=True)
class Statement(Generic[T]):
    """Change a table that has no events."""

    change: Callable[[apsw.Connection], T]
    weight: int = 1
    durable: ClassVar[bool] = True

    def run(self, draft: Draft) -> T:
        return self.change(draft.db)
