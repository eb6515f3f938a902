"""Requests to GitHub: few at once, conditional, bounded, and obedient when told to wait.

Reads are tried again after a fault. Whatever writes is sent once: where no answer came, the
caller looks at what is there before anything is sent again. Answers are read leniently by our
own types, since an Enterprise server may be years older than the published models.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from manyhands.errors import ForgeDenied, ForgeFailed
from manyhands.model.clock import monotonic

if TYPE_CHECKING:
    import githubkit
    import httpx

FEW = 4
READ_TRIES = 3
PAUSE = 0.5
PATIENCE = 5.0
"""A forge that asks for a longer wait is obeyed by giving up, with the time it named."""
KEPT_ANSWERS = 500
KEPT_BYTES = 16 * 1024 * 1024
API_VERSION = "2022-11-28"
T = TypeVar("T")


@dataclass(frozen=True)
class _Kept:
    etag: str
    body: bytes


class Answers:
    """The newest answers with their ETags, for all sessions together, bounded."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._bytes = 0

    def find(self, key: str) -> _Kept | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def keep(self, key: str, etag: str, body: bytes) -> None:
        if len(body) > KEPT_BYTES // 8:
            return
        self._drop(key)
        self._kept[key] = _Kept(etag, body)
        self._bytes += len(body)
        while len(self._kept) > KEPT_ANSWERS or self._bytes > KEPT_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: str) -> None:
        if old := self._kept.pop(key, None):
            self._bytes -= len(old.body)


class Exchange:
    """What all lines to forges share."""

    def __init__(self) -> None:
        self.answers = Answers()
        self.waits: dict[str, float] = {}
        """Until when, on the monotonic clock, an API must not be asked."""
        self._throttler: Any = None

    @property
    def throttler(self) -> Any:
        from githubkit.throttling import LocalThrottler

        self._throttler = self._throttler or LocalThrottler(FEW)
        return self._throttler

    @asynccontextmanager
    async def line(self, api: str, token: str, seconds: float) -> AsyncIterator[ForgeLine]:
        """Connections to one API as the holder of one token, for one operation."""
        import githubkit

        kit = githubkit.GitHub(
            githubkit.TokenAuthStrategy(token),
            base_url=api,
            user_agent="manyhands",
            timeout=seconds,
            http_cache=False,
            throttler=self.throttler,
            auto_retry=False,
        )
        async with kit:
            yield ForgeLine(self, api, kit, hashlib.sha256(token.encode()).hexdigest()[:16])


class ForgeLine:
    def __init__(
        self, exchange: Exchange, api: str, kit: githubkit.GitHub[Any], holder: str
    ) -> None:
        self.api = api
        self.host = urlsplit(api).hostname or api
        self._exchange = exchange
        self._kit = kit
        self._holder = holder

    async def fetch(self, kind: type[T], path: str, **query: str | int) -> T:
        return self._read(kind, path, await self._patiently("GET", path, query))

    async def fetch_all(self, kind: type[T], path: str, most: int, **query: str | int) -> list[T]:
        """Page by page, at most so many."""
        found: list[T] = []
        page, size = 1, min(100, most)
        while len(found) < most:
            part = await self.fetch(list[kind], path, per_page=size, page=page, **query)  # type: ignore[valid-type]
            found += part
            if len(part) < size:
                break
            page += 1
        return found[:most]

    async def send(self, kind: type[T], method: str, path: str, body: Mapping[str, Any]) -> T:
        return self._read(kind, path, await self._patiently(method, path, {}, body))

    async def query(self, kind: type[T], text: str, **variables: object) -> T:
        """GraphQL, for what the other API does not know."""
        from githubkit.exception import GitHubException, GraphQLFailed

        self._require_allowed()
        try:
            data = await self._kit.async_graphql(text, variables)
        except GraphQLFailed as error:
            said = "; ".join(e.message for e in error.response.errors or ())
            raise ForgeFailed(f"{self.host} refused: {said}", status=422) from error
        except GitHubException as error:
            raise self._failure("POST", "/graphql", error) from error
        return self._read(kind, "/graphql", msgspec.json.encode(data))

    async def fetch_tail(self, path: str, limit: int) -> bytes:
        """The end of a text that may be of any size."""
        from githubkit.exception import GitHubException

        self._require_allowed()
        tail = b""
        try:
            response = await self._kit.arequest("GET", path, stream=True)
            async for chunk in response.aiter_bytes():
                tail = (tail + chunk)[-limit:]
        except GitHubException as error:
            raise self._failure("GET", path, error) from error
        return tail

    async def _patiently(
        self, method: str, path: str, query: Mapping[str, Any], body: Any = None
    ) -> bytes:
        left = READ_TRIES if method == "GET" else 1
        while True:
            self._require_allowed()
            try:
                return await self._once(method, path, query, body)
            except ForgeFailed as error:
                left -= 1
                wait = self._exchange.waits.get(self.api, 0.0) - monotonic()
                if error.status in (403, 429) and 0 < wait <= PATIENCE:
                    self._exchange.waits.pop(self.api)
                    await asyncio.sleep(wait)
                    return await self._once(method, path, query, body)
                if left <= 0 or not error.unsure:
                    raise
            await asyncio.sleep(PAUSE * (READ_TRIES - left))

    async def _once(self, method: str, path: str, query: Mapping[str, Any], body: Any) -> bytes:
        from githubkit.exception import GitHubException

        target = f"{path}?{urlencode(query)}" if query else path
        key = f"{self._holder} {self.api}{target}"
        kept = self._exchange.answers.find(key) if method == "GET" else None
        headers = {"X-GitHub-Api-Version": API_VERSION}
        if kept:
            headers["If-None-Match"] = kept.etag
        try:
            response = await self._kit.arequest(method, target, json=body, headers=headers)
        except GitHubException as error:
            raise self._failure(method, path, error) from error
        raw: httpx.Response = response.raw_response
        if kept and raw.status_code == 304:
            return kept.body
        if method == "GET" and (etag := raw.headers.get("etag")):
            self._exchange.answers.keep(key, etag, raw.content)
        return raw.content

    def _require_allowed(self) -> None:
        wait = self._exchange.waits.get(self.api, 0.0) - monotonic()
        if wait > 0:
            raise told_to_wait(self.host, wait)

    def _failure(self, method: str, path: str, error: Exception) -> ForgeFailed:
        from githubkit.exception import RateLimitExceeded, RequestFailed

        if isinstance(error, RateLimitExceeded):
            wait = error.retry_after.total_seconds()
            self._exchange.waits[self.api] = monotonic() + wait
            return told_to_wait(self.host, wait)
        if isinstance(error, RequestFailed):
            return refusal(
                self.host, method, path, error.response.status_code, error.response.content
            )
        return no_answer(self.host, error)

    def _read(self, kind: type[T], path: str, data: bytes) -> T:
        try:
            return msgspec.json.decode(data or b"null", type=kind)
        except msgspec.DecodeError as error:
            raise ForgeFailed(
                f"{self.host} gave an answer to {path} that is not as described: {error}",
                status=502,
            ) from error


_HINTS = {
    401: "the token is wrong or has expired: `gh auth login`, or see [github] in config.toml",
    403: "the token may not do this: give it the right, or use another",
    404: "the repository, or what was asked for in it, is not there or not visible to the token",
    409: "something moved meanwhile: look with `manyhands pr status` and try again",
    429: "try again later",
}
DENIED = (401, 403)
FIRST_SERVER_ERROR = 500


class _Detail(msgspec.Struct, frozen=True):
    message: str = ""
    field: str = ""
    code: str = ""


class _Body(msgspec.Struct, frozen=True):
    message: str = ""
    errors: list[_Detail | str] | str = []


def refusal(host: str, method: str, path: str, status: int, body: bytes) -> ForgeFailed:
    said = _said(body)
    if status >= FIRST_SERVER_ERROR:
        return ForgeFailed(
            f"{host} is in trouble (HTTP {status}{f': {said}' if said else ''})",
            hint="nothing is lost; try again in a while",
            status=status,
        )
    what = f"{host} refused {method} {path}: {said or 'no reason given'} (HTTP {status})"
    kind = ForgeDenied if status in DENIED else ForgeFailed
    return kind(what, hint=_HINTS.get(status, ""), status=status)


def told_to_wait(host: str, seconds: float) -> ForgeFailed:
    return ForgeFailed(
        f"{host} asks to be left alone for {math.ceil(seconds)} seconds: too many requests",
        hint="nothing is lost; try again then",
        status=429,
    )


def no_answer(host: str, error: Exception) -> ForgeFailed:
    reason = getattr(error, "exc", error)
    return ForgeFailed(
        f"{host} does not answer: {str(reason) or type(reason).__name__}",
        hint="nothing is lost; try again in a while",
    )


def _said(body: bytes) -> str:
    try:
        said = msgspec.json.decode(body, type=_Body)
    except msgspec.DecodeError:
        return ""
    details = [said.errors] if isinstance(said.errors, str) else list(said.errors)
    texts = [d if isinstance(d, str) else d.message or f"{d.field} {d.code}" for d in details]
    return "; ".join(filter(None, [said.message.rstrip("."), *map(str.strip, texts)]))[:500]
