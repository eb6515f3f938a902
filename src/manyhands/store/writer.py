"""The one writer: a thread that turns everything pending into one transaction after another.

While one batch is on its way to the disk the next gathers, so commits group by themselves.
`head` is the state after the last commit and belongs to this thread; units run on layers over
it. A failed commit leaves head and numbers as they were, and the next batch tries the disk anew.
A batch waits for the disk itself only if it holds a person's command or decision.
"""

from __future__ import annotations

import logging
import queue
import threading
from asyncio import Future
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import apsw

from manyhands.model import clock
from manyhands.model import events as e
from manyhands.model.state import State
from manyhands.store import log, projections
from manyhands.store.batch import Batch, Stored
from manyhands.store.connection import store_failed, transaction
from manyhands.store.units import Draft, Unit

MOST_UNITS = 1024
MOST_EVENTS = 8192
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Pending:
    unit: Unit[Any]
    future: Future[Any]


@dataclass(frozen=True)
class Outcome:
    """How one unit ended; told to its caller on the event loop."""

    future: Future[Any]
    result: Any = None
    error: Exception | None = None

    def tell(self) -> None:
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


@dataclass(frozen=True)
class Ended:
    """A batch that was committed, or failed as a whole (then nothing changed)."""

    outcomes: list[Outcome]
    changed: State
    batch: Batch | None = None


class OpenBatch:
    """What has been gathered in the transaction that is open now."""

    def __init__(self, db: apsw.Connection, head: State, last_seq: int) -> None:
        self.db = db
        self.state = head.layer()
        self.last_seq = last_seq
        self.at = clock.now()
        self.items: list[Stored] = []
        self.events: list[e.Fact] = []
        self._rows_there = 0

    def catch_up(self) -> None:
        """Fold what another connection wrote since our last commit."""
        for stored, event in log.tail(self.db, self.last_seq):
            self.state.apply(event)
            self.items.append(stored)
            self.events.append(event)
            self.last_seq = stored.seq
        self._rows_there = len(self.items)

    def run(self, pending: Pending) -> Outcome:
        draft = Draft(self.db, self.state.layer(), self.at)
        try:
            result = pending.unit.run(draft)
        except apsw.Error:
            raise
        except Exception as error:  # noqa: BLE001 - it is the caller's, who gets it as it is
            return Outcome(pending.future, error=error)
        draft.state.keep()
        self._number(draft)
        return Outcome(pending.future, result)

    def _number(self, draft: Draft) -> None:
        for event, body in zip(draft.events, draft.bodies, strict=True):
            self.last_seq += 1
            self.items.append(Stored(self.last_seq, event.session, log.type_of(event), body))
        self.events += draft.events

    def store(self) -> None:
        log.add_rows(self.db, self.items[self._rows_there :], self.events[self._rows_there :])
        projections.save(self.db, self.state)

    @property
    def batch(self) -> Batch | None:
        if not self.items:
            return None
        return Batch(self.items, self.events, frozenset(self.state.sessions))


class Writer:
    def __init__(
        self, db: apsw.Connection, head: State, last_seq: int, publish: Callable[[Ended], None]
    ) -> None:
        self._db = db
        self._head = head
        self._last_seq = last_seq
        self._publish = publish
        self._queue: queue.SimpleQueue[Pending | None] = queue.SimpleQueue()
        self._stopping = False
        self._durable = True
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, unit: Unit[Any], future: Future[Any]) -> None:
        self._queue.put(Pending(unit, future))

    def stop(self) -> None:
        """Finish all that was submitted, then end; blocks until then."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while waiting := self._take():
            self._publish(self._commit(waiting))
        self._db.close()

    def _take(self) -> list[Pending]:
        """Everything that waits, up to a bound; waits for the first. Empty at the end."""
        waiting: list[Pending] = []
        weight = 0
        while not self._stopping and len(waiting) < MOST_UNITS and weight < MOST_EVENTS:
            if waiting and self._queue.empty():
                break
            pending = self._queue.get()
            if pending is None:
                self._stopping = True
            else:
                waiting.append(pending)
                weight += pending.unit.weight
        return waiting

    def _commit(self, waiting: list[Pending]) -> Ended:
        try:
            self._set_durable(any(pending.unit.durable for pending in waiting))
            with transaction(self._db):
                batch = OpenBatch(self._db, self._head, self._last_seq)
                batch.catch_up()
                outcomes = [batch.run(pending) for pending in waiting]
                batch.store()
        except Exception as error:
            logger.exception("a batch of %d was not stored", len(waiting))
            return Ended([self._failed(p, error) for p in waiting], State())
        batch.state.keep()
        self._last_seq = batch.last_seq
        return Ended(outcomes, batch.state, batch.batch)

    def _set_durable(self, durable: bool) -> None:
        """Full: the commit waits for the disk, and with it all that was committed before."""
        if durable != self._durable:
            self._db.pragma("synchronous", "full" if durable else "normal")
            self._durable = durable

    def _failed(self, pending: Pending, error: Exception) -> Outcome:
        if isinstance(error, apsw.Error):
            return Outcome(pending.future, error=store_failed(error, self._db.filename))
        return Outcome(pending.future, error=error)
