"""Requests to forges: few at once, conditional, bounded, and obedient when told to wait.

Reads are tried again after a fault. Whatever writes is sent once: where no answer came, the
caller looks at what is there before anything is sent again. Answers are read leniently by our
own types, since a server may be years older than the published models.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from manyhands.errors import ForgeFailed
from manyhands.forges.failures import no_answer, refusal, told_to_wait
from manyhands.forges.wire import NoReply, Wire, WireReply
from manyhands.model.clock import monotonic

FEW = 4
READ_TRIES = 3
PAUSE = 0.5
PATIENCE = 5.0
"""A forge that asks for a longer wait is obeyed by giving up, with the time it named."""
KEPT_ANSWERS = 500
KEPT_BYTES = 16 * 1024 * 1024
UNCHANGED = 304
FIRST_ERROR = 300
T = TypeVar("T")


class Answers:
    """The newest answers with their ETags, for all sessions together, bounded."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, WireReply] = OrderedDict()
        self._bytes = 0

    def find(self, key: str) -> WireReply | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def keep(self, key: str, reply: WireReply) -> None:
        if len(reply.content) > KEPT_BYTES // 8:
            return
        self._drop(key)
        self._kept[key] = reply
        self._bytes += len(reply.content)
        while len(self._kept) > KEPT_ANSWERS or self._bytes > KEPT_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: str) -> None:
        if old := self._kept.pop(key, None):
            self._bytes -= len(old.content)


class Exchange:
    """What all lines to forges share."""

    def __init__(self) -> None:
        self.answers = Answers()
        self.waits: dict[str, float] = {}
        """Until when, on the monotonic clock, an API must not be asked."""
        self.few = asyncio.Semaphore(FEW)


class Line:
    """Connections to one API as the holder of one token, for one operation."""

    def __init__(
        self,
        exchange: Exchange,
        wire: Wire,
        api: str,
        token: str,
        token_hint: str,
        *,
        size_word: str = "per_page",
        page_size: int = 100,
    ) -> None:
        self.api = api
        self.host = urlsplit(api).hostname or api
        self.exchange = exchange
        self.wire = wire
        self.token_hint = token_hint
        self.size_word = size_word
        self.page_size = page_size
        self._holder = hashlib.sha256(token.encode()).hexdigest()[:16]

    async def fetch(self, kind: type[T], path: str, **query: str | int) -> T:
        return self.read(kind, path, (await self._patiently("GET", path, query)).content)

    async def fetch_all(self, kind: type[T], path: str, most: int, **query: str | int) -> list[T]:
        """Page by page, at most so many."""
        found: list[T] = []
        page, size = 1, min(self.page_size, most)
        while len(found) < most:
            asked = {**query, self.size_word: size, "page": page}
            reply = await self._patiently("GET", path, asked)
            part = self.read(list[kind], path, reply.content)  # type: ignore[valid-type]
            found += part
            # A server may give less than was asked for, and says by a link that there is more.
            if not part or reply.more is False or (reply.more is None and len(part) < size):
                break
            page += 1
        return found[:most]

    async def send(
        self, kind: type[T], method: str, path: str, body: Mapping[str, Any] | None
    ) -> T:
        return self.read(kind, path, (await self._patiently(method, path, {}, body)).content)

    async def fetch_tail(self, path: str, limit: int) -> bytes:
        """The end of a text that may be of any size."""
        self.require_allowed()
        tail = b""
        try:
            async with self.exchange.few:
                async for chunk in self.wire.stream(path):
                    if isinstance(chunk, WireReply):
                        raise self.failure("GET", path, chunk)
                    tail = (tail + chunk)[-limit:]
        except NoReply as error:
            raise no_answer(self.host, error.reason) from error
        return tail

    async def _patiently(
        self, method: str, path: str, query: Mapping[str, Any], body: Any = None
    ) -> WireReply:
        left = READ_TRIES if method == "GET" else 1
        while True:
            self.require_allowed()
            try:
                return await self._once(method, path, query, body)
            except ForgeFailed as error:
                left -= 1
                wait = self.exchange.waits.get(self.api, 0.0) - monotonic()
                if error.status in (403, 429) and 0 < wait <= PATIENCE:
                    self.exchange.waits.pop(self.api)
                    await asyncio.sleep(wait)
                    return await self._once(method, path, query, body)
                if left <= 0 or not error.unsure:
                    raise
            await asyncio.sleep(PAUSE * (READ_TRIES - left))

    async def _once(self, method: str, path: str, query: Mapping[str, Any], body: Any) -> WireReply:
        target = f"{path}?{urlencode(query)}" if query else path
        key = f"{self._holder} {self.api}{target}"
        kept = self.exchange.answers.find(key) if method == "GET" else None
        headers = {"If-None-Match": kept.etag} if kept else {}
        try:
            async with self.exchange.few:
                reply = await self.wire.request(method, target, body, headers)
        except NoReply as error:
            raise no_answer(self.host, error.reason) from error
        if kept and reply.status == UNCHANGED:
            return kept
        if reply.status >= FIRST_ERROR:
            raise self.failure(method, path, reply)
        if method == "GET" and reply.etag:
            self.exchange.answers.keep(key, reply)
        return reply

    def require_allowed(self) -> None:
        wait = self.exchange.waits.get(self.api, 0.0) - monotonic()
        if wait > 0:
            raise told_to_wait(self.host, wait)

    def failure(self, method: str, path: str, reply: WireReply) -> ForgeFailed:
        if reply.wait is not None:
            self.exchange.waits[self.api] = monotonic() + reply.wait
            return told_to_wait(self.host, reply.wait)
        return refusal(self.host, method, path, reply.status, reply.content, self.token_hint)

    def read(self, kind: type[T], path: str, data: bytes) -> T:
        try:
            return msgspec.json.decode(data or b"null", type=kind)
        except msgspec.DecodeError as error:
            raise ForgeFailed(
                f"{self.host} gave an answer to {path} that is not as described: {error}",
                status=502,
            ) from error
