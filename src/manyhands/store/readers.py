"""Read-only connections in threads of their own: a reader never waits for the writer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from manyhands.errors import StoreFailed
from manyhands.store.connection import explained, open_reader

MOST_READERS = 2
T = TypeVar("T")


class Readers:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._closed = False
        self._idle: deque[apsw.Connection] = deque()
        self._threads = ThreadPoolExecutor(MOST_READERS, thread_name_prefix="store-reader")

    async def read(self, query: Callable[[apsw.Connection], T]) -> T:
        self._require_open()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._answer, query)

    def read_now(self, query: Callable[[apsw.Connection], T]) -> T:
        """In this thread; for a look-up of one row."""
        self._require_open()
        return self._answer(query)

    def _require_open(self) -> None:
        if self._closed:
            raise StoreFailed(f"the store {self._path} is closed")

    def _answer(self, query: Callable[[apsw.Connection], T]) -> T:
        with explained(str(self._path)):
            db = self._connection()
            try:
                return query(db)
            finally:
                self._idle.append(db)

    def _connection(self) -> apsw.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return open_reader(self._path)

    def close(self) -> None:
        """Waits for reads under way."""
        self._closed = True
        self._threads.shutdown()
        while self._idle:
            self._idle.pop().close()
