"""The one writer: a thread that turns everything pending into one transaction after another.

While one batch is on its way to the disk the next gathers, so commits group by themselves.
`head` is the state after the last commit and belongs to this thread; units run on layers over
it. A failed commit leaves head and numbers as they were, and the next batch tries the disk anew;
only a file that is damaged is not written to again.
A batch waits for the disk itself only if it holds a person's command or decision.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from asyncio import Future
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Generic

import apsw
import msgspec

from manyhands.errors import StoreFailed
from manyhands.model import clock
from manyhands.model import events as e
from manyhands.model.state import State
from manyhands.store import ledger, log, projections
from manyhands.store.batch import Batch, Stored
from manyhands.store.connection import DAMAGES, open_writer, set_folding, store_failed, transaction
from manyhands.store.copy import remove_database, remove_sidecars
from manyhands.store.door import Door
from manyhands.store.units import Draft, Statement, T_co, Unit

MOST_UNITS = 1024
MOST_EVENTS = 8192
logger = logging.getLogger(__name__)


class Pending(Generic[T_co]):
    """A unit, and who waits for it; told on the event loop how it ended."""

    def __init__(self, unit: Unit[T_co], future: Future[T_co]) -> None:
        self.unit = unit
        self._future = future
        self._answer: Callable[[], None]

    def run(self, draft: Draft) -> None:
        self._answer = partial(self._future.set_result, self.unit.run(draft))

    def fail(self, error: Exception) -> None:
        self._answer = partial(self._future.set_exception, error)

    def tell(self) -> None:
        if not self._future.done():
            self._answer()


class Ended(msgspec.Struct, frozen=True):
    """A batch that was committed, or failed as a whole (then nothing changed)."""

    waiting: list[Pending[object]]
    changed: State
    batch: Batch | None = None
    trouble: StoreFailed | None = None
    """Why nothing was stored."""
    wrote: bool = False
    """Whether the disk took something."""


class OpenBatch:
    """What has been gathered in the transaction that is open now."""

    def __init__(
        self, db: apsw.Connection, acks: ledger.Acks, head: State, last_seq: int, door: Door
    ) -> None:
        self.db = db
        self.acks = acks
        self._door = door
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
        if self.items:
            self.acks.forget()

    def run(self, pending: Pending[object]) -> None:
        draft = Draft(self.db, self.acks, self.state.layer(), self.at, self._door)
        try:
            pending.run(draft)
        except apsw.Error:
            raise
        except Exception as error:  # noqa: BLE001 - it is the caller's, who gets it as it is
            pending.fail(error)
        else:
            draft.state.keep()
            self._number(draft)

    def _number(self, draft: Draft) -> None:
        for event, body in zip(draft.events, draft.bodies, strict=True):
            self.last_seq += 1
            self.items.append(Stored(self.last_seq, event.session, log.type_of(event), body))
        self.events += draft.events

    def store(self) -> None:
        log.add_rows(self.db, self.items[self._rows_there :], self.events[self._rows_there :])
        projections.save(self.db, self.state)
        self.acks.store()

    @property
    def batch(self) -> Batch | None:
        if not self.items:
            return None
        return Batch(self.items, self.events, frozenset(self.state.sessions))


class Writer:
    def __init__(
        self,
        db: apsw.Connection,
        head: State,
        last_seq: int,
        publish: Callable[[Ended], None],
        door: Door,
    ) -> None:
        self._db = db
        self._door = door
        self._acks = ledger.Acks(db)
        self._head = head
        self._last_seq = last_seq
        self._publish = publish
        self.damage: StoreFailed | None = None
        """Once it is known, nothing is written any more."""
        self._path = Path(db.filename)
        self._place = _inode(self._path)
        self._queue: queue.SimpleQueue[list[Pending[object]] | None] = queue.SimpleQueue()
        self._stopping = False
        self._durable = True
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, pending: list[Pending[object]]) -> None:
        self._queue.put(pending)

    def stop(self) -> None:
        """Finish all that was submitted, then end; blocks until then."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while waiting := self._take():
            self._publish(self._commit(waiting))
        # What is damaged or gone is left as it is, for whoever mends it.
        set_folding(self._db, on=self.damage is None and self.is_in_place)
        self._db.close()

    def _take(self) -> list[Pending[object]]:
        """Everything that waits, up to a bound; waits for the first. Empty at the end."""
        waiting: list[Pending[object]] = []
        weight = 0
        while not self._stopping and len(waiting) < MOST_UNITS and weight < MOST_EVENTS:
            if waiting and self._queue.empty():
                break
            pending = self._queue.get()
            self._stopping = pending is None
            waiting += pending or ()
            weight += sum(one.unit.weight for one in pending or ())
        return waiting

    def _commit(self, waiting: list[Pending[object]]) -> Ended:
        try:
            self._require_usable()
            self._set_durable(any(pending.unit.durable for pending in waiting))
            with transaction(self._db):
                batch = OpenBatch(self._db, self._acks, self._head, self._last_seq, self._door)
                batch.catch_up()
                for pending in waiting:
                    batch.run(pending)
                batch.store()
        except Exception as error:
            failed = self._explained(error)
            if self.damage is None:  # said once
                logger.exception("a batch of %d was not stored", len(waiting))
            if isinstance(error, DAMAGES) and isinstance(failed, StoreFailed):
                self.damage = failed
            self._acks.forget()
            for pending in waiting:
                pending.fail(failed)
            trouble = failed if isinstance(failed, StoreFailed) else None
            return Ended(waiting, State(), trouble=trouble)
        batch.state.keep()
        self._last_seq = batch.last_seq
        wrote = bool(batch.items) or any(isinstance(p.unit, Statement) for p in waiting)
        return Ended(waiting, batch.state, batch.batch, wrote=wrote)

    @property
    def is_in_place(self) -> bool:
        return _inode(self._path) == self._place

    def copy_to(self, path: Path) -> None:
        """All that is committed, even where the file has no name any more; in any thread."""
        remove_database(path)
        with (
            contextlib.closing(open_writer(path)) as made,
            made.backup("main", self._db, "main") as backup,
        ):
            while not backup.done:
                backup.step()
        remove_sidecars(path)

    def _require_usable(self) -> None:
        if self.damage is not None:
            raise self.damage
        if not self.is_in_place:
            # SQLite would go on writing to a file that nobody will ever find.
            raise StoreFailed(
                f"the store {self._path} was moved or removed: nothing can be stored",
                hint="put it back; where it is lost, `manyhands doctor --fix` makes it anew",
            )

    def _set_durable(self, durable: bool) -> None:
        """Full: the commit waits for the disk, and with it all that was committed before."""
        if durable != self._durable:
            self._db.pragma("synchronous", "full" if durable else "normal")
            self._durable = durable

    def _explained(self, error: Exception) -> Exception:
        return store_failed(error, self._db.filename) if isinstance(error, apsw.Error) else error


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
