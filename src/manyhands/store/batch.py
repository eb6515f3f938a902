"""What goes into the store and what comes out of it once committed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from manyhands.errors import NotPossible
from manyhands.model.events import Fact, with_seq
from manyhands.model.ids import SessionId

T = TypeVar("T")


@dataclass(frozen=True)
class Decision(Generic[T]):
    """The events that follow from a state, and what to tell whoever asked."""

    events: Sequence[Fact]
    result: T


class Stored(msgspec.Struct, frozen=True, gc=False):
    """One row of the log; `body` is the event's JSON without its number."""

    seq: int
    session: SessionId
    type: str
    body: bytes

    @property
    def wire(self) -> bytes:
        return with_seq(self.seq, self.body)


class Batch(msgspec.Struct, frozen=True):
    """What one commit added to the log: `items[i]` is the stored form of `events[i]`."""

    items: list[Stored]
    events: list[Fact]
    sessions: frozenset[SessionId]
    """Those whose state changed."""

    @property
    def first_seq(self) -> int:
        return self.items[0].seq

    @property
    def last_seq(self) -> int:
        return self.items[-1].seq


class StaleEpoch(NotPossible, code="stale_epoch"):
    """A keeper that was fenced off by a later one still talks."""

    def __init__(self, session: SessionId, epoch: int, current: int) -> None:
        super().__init__(f"keeper {epoch} of session {session} was succeeded by keeper {current}")
        self.session = session
        self.epoch = epoch
        self.current = current


class ItemsMissing(NotPossible, code="items_missing"):
    """A keeper's items do not join what is stored: taking them would lose those between."""

    def __init__(self, session: SessionId, first: int, acked: int) -> None:
        super().__init__(
            f"items of session {session} start at {first}, but {acked} is the last one"
        )
        self.session = session
        self.first = first
        self.acked = acked
