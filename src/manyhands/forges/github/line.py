"""A line to GitHub, carried by githubkit: it knows where GraphQL is and when to wait."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from manyhands.errors import ForgeFailed
from manyhands.forges.exchange import Exchange, Line
from manyhands.forges.failures import no_answer
from manyhands.forges.wire import NoReply, WireReply, has_next

if TYPE_CHECKING:
    import githubkit

API_VERSION = "2022-11-28"
T = TypeVar("T")


class KitWire:
    def __init__(self, kit: githubkit.GitHub[Any]) -> None:
        self._kit = kit

    async def request(
        self, method: str, target: str, body: Any, headers: Mapping[str, str]
    ) -> WireReply:
        from githubkit.exception import GitHubException

        own = {"X-GitHub-Api-Version": API_VERSION, **headers}
        try:
            response = await self._kit.arequest(method, target, json=body, headers=own)
        except GitHubException as error:
            return _failed(error)
        raw = response.raw_response
        etag = raw.headers.get("etag", "")
        return WireReply(raw.status_code, raw.content, etag=etag, more=has_next(raw.headers))

    async def stream(self, target: str) -> AsyncIterator[bytes | WireReply]:
        from githubkit.exception import GitHubException

        try:
            response = await self._kit.arequest("GET", target, stream=True)
            async for chunk in response.aiter_bytes():
                yield chunk
        except GitHubException as error:
            yield _failed(error)

    async def graphql(self, text: str, variables: Mapping[str, Any]) -> WireReply:
        """The data alone; what GitHub has to say against it has the status 422."""
        from githubkit.exception import GitHubException, GraphQLFailed

        try:
            data = await self._kit.async_graphql(text, dict(variables))
        except GraphQLFailed as error:
            said = "; ".join(e.message for e in error.response.errors or ())
            return WireReply(422, said.encode())
        except GitHubException as error:
            return _failed(error)
        return WireReply(200, msgspec.json.encode(data))


def _failed(error: Exception) -> WireReply:
    from githubkit.exception import RateLimitExceeded, RequestFailed

    if not isinstance(error, RequestFailed):
        raise NoReply(getattr(error, "exc", error)) from error
    wait = error.retry_after.total_seconds() if isinstance(error, RateLimitExceeded) else None
    return WireReply(error.response.status_code, error.response.content, wait=wait)


class GitHubLine(Line):
    wire: KitWire

    async def query(self, kind: type[T], text: str, **variables: object) -> T:
        """GraphQL, for what the other API does not know."""
        self.require_allowed()
        try:
            async with self.exchange.few:
                reply = await self.wire.graphql(text, variables)
        except NoReply as error:
            raise no_answer(self.host, error.reason) from error
        if reply.status == 422:
            raise ForgeFailed(f"{self.host} refused: {reply.content.decode()}", status=422)
        if reply.status != 200:
            raise self.failure("POST", "/graphql", reply)
        return self.read(kind, "/graphql", reply.content)


@asynccontextmanager
async def github_line(
    exchange: Exchange, api: str, token: str, seconds: float, token_hint: str
) -> AsyncIterator[GitHubLine]:
    import githubkit
    from githubkit.throttling import LocalThrottler

    kit = githubkit.GitHub(
        githubkit.TokenAuthStrategy(token),
        base_url=api,
        user_agent="manyhands",
        timeout=seconds,
        http_cache=False,
        throttler=LocalThrottler(100),  # how many at once is the exchange's to say
        auto_retry=False,
    )
    async with kit:
        yield GitHubLine(exchange, KitWire(kit), api, token, token_hint)
