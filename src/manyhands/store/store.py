"""The store as the hub sees it: decisions go in, committed facts come out, in one order.

After a commit, on the event loop and in this order: `state` changes, subscribers are called,
writers are answered. So whoever reads `state` on the loop sees whole commits, and whoever was
answered finds everybody informed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from manyhands.errors import StoreFailed
from manyhands.model import clock
from manyhands.model import events as e
from manyhands.model.ids import CommandId, JobId, SessionId
from manyhands.model.jobs.job import Job
from manyhands.model.state import State
from manyhands.store import ledger, log, projections
from manyhands.store.backup import make_backup
from manyhands.store.batch import Batch, Decision
from manyhands.store.connection import (
    DAMAGES,
    explained,
    is_damage,
    mended_name,
    open_reader,
    set_folding,
    store_failed,
)
from manyhands.store.door import Door
from manyhands.store.health import damaged, find_damage, require_there, require_whole
from manyhands.store.schema import open_migrated
from manyhands.store.units import React, Statement, Take, Unit, Write
from manyhands.store.writer import Ended, Pending, Writer

T = TypeVar("T")
MOST_READERS = 2
Listener = Callable[[Batch], None]
logger = logging.getLogger(__name__)


def nothing_follows(state: State, events: Sequence[e.Fact]) -> Sequence[e.Fact]:
    return ()


class Store:
    """Use from the event loop's thread only."""

    def __init__(self, path: Path, db: apsw.Connection, loop: asyncio.AbstractEventLoop) -> None:
        self.state = projections.load_state(db)
        """Committed only; read it, never write it."""
        self.last_seq = log.last_seq(db)
        self.trouble: StoreFailed | None = None
        """Why nothing can be stored, as far as the last try tells; damage stays."""
        self.on_trouble: Callable[[], None] = lambda: None
        self._path = path
        self._loop = loop
        self._listeners: list[Listener] = []
        self._closed = False
        self._idle: deque[apsw.Connection] = deque()
        self._threads = ThreadPoolExecutor(MOST_READERS, thread_name_prefix="store-reader")
        self._gathered: list[Pending[object]] = []
        head = State(dict(self.state.sessions), dict(self.state.repos), dict(self.state.jobs))
        self.door = Door()
        """Through it goes whatever is recorded."""
        self._writer = Writer(db, head, self.last_seq, self._hand_over, self.door)

    @classmethod
    def open(cls, path: Path, *, loop: asyncio.AbstractEventLoop | None = None) -> Store:
        """Opens, migrates with a backup or refuses (`StoreFailed`), and loads the state."""
        loop = loop or asyncio.get_running_loop()
        require_there(path)
        with explained(str(path)):
            db = open_migrated(path)
            try:
                return cls(path, db, loop)
            except BaseException:
                set_folding(db, on=False)
                db.close()
                raise

    async def write(
        self, decide: Callable[[State], Decision[T]], *, receipt: CommandId | None = None
    ) -> T:
        """Run `decide` in the writer thread on the newest state and store its events.

        It must be quick and touch nothing but the state. With a `receipt` that was seen before
        it does not run, and the first result is returned; results are then JSON-like values.
        """
        return await self._submit(Write(decide, receipt))

    async def write_items(
        self,
        session: SessionId,
        epoch: int,
        first: int,
        events: Sequence[e.Fact],
        react: React = nothing_follows,
    ) -> int:
        """Store a keeper's items, numbered from `first`, and what `react` says follows from them.

        Items taken before are dropped unseen; an item is taken exactly once, with its reaction.
        Returns the last number taken. Raises `StaleEpoch` for a keeper that was succeeded and
        `ItemsMissing` where the items do not join those stored (then say hello again).
        """
        return await self._submit(Take(session, epoch, first, events, react))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every batch after its commit; the result ends that.

        To follow without gap or double: subscribe, note `last_seq`, read `events` up to it.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def events(
        self,
        after: int,
        *,
        session: SessionId | None = None,
        upto: int | None = None,
        limit: int = 1000,
    ) -> list[tuple[int, bytes]]:
        """A page of numbered events in wire form; shorter than `limit` where they are large.

        Only an empty page is the end.
        """
        return await self._read(lambda db: log.page(db, after, upto, session, limit))

    async def one(self, session: SessionId, kind: str, *, last: bool) -> bytes | None:
        """The body of a session's first or last event of a type."""
        return await self._read(lambda db: log.one(db, session, kind, last=last))

    async def latest(self, session: SessionId, kinds: Sequence[str], limit: int) -> list[e.Fact]:
        """A session's events of these types, the newest first; fewer where they are large."""
        return await self._read(lambda db: log.latest(db, session, kinds, limit))

    async def job(self, id: JobId) -> Job | None:
        return await self._read(lambda db: projections.one_job(db, id))

    async def jobs(self) -> list[Job]:
        """Every job there ever was, the oldest first."""
        return await self._read(projections.all_jobs)

    async def usage_facts(self) -> list[e.Fact]:
        """Everything from which usage follows, in order."""
        return await self._read(log.usage_facts)

    async def last_events(self, session: SessionId, limit: int) -> list[tuple[int, bytes]]:
        """The last events of a session, oldest first; fewer where they are large."""
        return await self._read(lambda db: log.last_page(db, session, limit))

    async def acked(self, session: SessionId, epoch: int) -> int:
        """The number of the last item taken from this keeper, 0 for none."""
        return await self._read(lambda db: ledger.acked(db, session, epoch))

    async def check(self, *, thoroughly: bool = False) -> None:
        """Look over the whole file; what is wrong with it is `trouble` from then on."""

        def look(_: apsw.Connection) -> None:
            # By a fresh one: what others have in memory may be better than what is on the disk.
            with contextlib.closing(open_reader(self._path)) as db:
                require_whole(db, self._path)
            if thoroughly and (told := find_damage(self._path)):
                raise damaged(self._path, told)

        try:
            await self._read(look)
        except StoreFailed as failed:
            if is_damage(failed):
                self._set_damage(failed)
            else:  # what cannot be opened now may be later
                self._set_trouble(failed)

    async def try_again(self) -> None:
        """Write something, to see whether that can be done again."""
        await self._submit(
            Statement(lambda db: db.pragma("user_version", db.pragma("user_version")))
        )

    async def keep_copy(self) -> None:
        """Of a store whose file has lost its name, under the name of a mended one."""
        if not self._writer.is_in_place:
            copy = partial(self._writer.copy_to, mended_name(self._path))
            with explained(str(self._path)):
                await self._loop.run_in_executor(None, copy)

    async def make_backup(self, directory: Path) -> Path:
        """While it is in use; a store that is in trouble is not copied over good backups."""
        if self.trouble is not None:
            raise self.trouble
        return await self._read(lambda db: make_backup(self._path, directory, clock.now()))

    @property
    def damage(self) -> StoreFailed | None:
        return self._writer.damage

    def _set_damage(self, failed: StoreFailed) -> None:
        self._writer.damage = self._writer.damage or failed
        self._set_trouble(self._writer.damage)

    def _set_trouble(self, trouble: StoreFailed | None) -> None:
        trouble = self._writer.damage or trouble
        if (trouble and trouble.message) != (self.trouble and self.trouble.message):
            self.trouble = trouble
            self.on_trouble()

    async def set_acked(self, session: SessionId, epoch: int, upto: int) -> None:
        """Where another source knows better what was taken from this keeper."""
        await self._submit(Statement(lambda db: ledger.set_acked(db, session, epoch, upto)))

    async def add_token(
        self,
        hash: str,
        kind: ledger.TokenKind,
        session: SessionId = SessionId(""),
        *,
        most: int | None = None,
    ) -> None:
        """With `most`, no more of its kind are kept than that, the newest ones."""
        token = ledger.Token(hash, kind, session, clock.now())

        def add(db: apsw.Connection) -> None:
            ledger.add_token(db, token)
            if most is not None:
                ledger.drop_old_tokens(db, kind, most)

        await self._submit(Statement(add))

    def token(self, hash: str) -> ledger.Token | None:
        self._require_open()
        return self._answer(lambda db: ledger.token(db, hash))

    async def revoke_tokens(
        self,
        *,
        hash: str | None = None,
        kind: ledger.TokenKind | None = None,
        session: SessionId | None = None,
    ) -> list[str]:
        """Revoke the tokens that fit everything given; the hashes of those that are gone."""
        if hash is None and kind is None and session is None:
            return []
        return await self._submit(
            Statement(lambda db: ledger.revoke_tokens(db, hash=hash, kind=kind, session=session))
        )

    async def close(self) -> None:
        """Store and publish what was submitted, then let go of the file."""
        if self._closed:
            return
        self._closed = True
        self._submit_gathered()
        await self._loop.run_in_executor(None, self._close_readers)
        # The last connection to close folds the write-ahead log into the file.
        await self._loop.run_in_executor(None, self._writer.stop)

    def _close_readers(self) -> None:
        """Waits for reads under way."""
        self._threads.shutdown()
        while self._idle:
            self._idle.pop().close()

    def _require_open(self) -> None:
        if self._closed:
            raise StoreFailed(f"the store {self._path} is closed")

    async def _read(self, query: Callable[[apsw.Connection], T]) -> T:
        self._require_open()
        return await self._loop.run_in_executor(self._threads, self._answer, query)

    def _answer(self, query: Callable[[apsw.Connection], T]) -> T:
        """By a connection of its own that only reads, and so never waits for the writer."""
        with explained(str(self._path)):
            try:
                db = self._idle.pop()
            except IndexError:
                db = open_reader(self._path)
            try:
                return query(db)
            except DAMAGES as error:
                failed = store_failed(error, str(self._path))
                with contextlib.suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._set_damage, failed)
                raise failed from error
            finally:
                self._idle.append(db)

    async def _submit(self, unit: Unit[T]) -> T:
        self._require_open()
        future: asyncio.Future[T] = self._loop.create_future()
        if not self._gathered:
            self._loop.call_soon(self._submit_gathered)
        pending: Pending[T] = Pending(unit, future)
        self._gathered.append(pending)
        return await future

    def _submit_gathered(self) -> None:
        """What is asked for in one step of the loop is one commit, not the first of it alone."""
        gathered, self._gathered = self._gathered, []
        self._writer.submit(gathered)

    def _hand_over(self, ended: Ended) -> None:
        """In the writer thread. A loop that is gone has nobody left to tell."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._publish, ended)

    def _publish(self, ended: Ended) -> None:
        self.state.take(ended.changed)
        if ended.trouble or ended.wrote:
            self._set_trouble(ended.trouble)
        if ended.batch is not None:
            self.last_seq = ended.batch.last_seq
            for listener in tuple(self._listeners):
                self._call(listener, ended.batch)
        for pending in ended.waiting:
            pending.tell()

    def _call(self, listener: Listener, batch: Batch) -> None:
        try:
            listener(batch)
        except Exception:
            logger.exception(
                "a subscriber failed on events %d to %d", batch.first_seq, batch.last_seq
            )
