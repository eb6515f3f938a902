"""One request to a forge and its reply, however that is carried; over HTTP as it is by default."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol

from manyhands.model.clock import instant, seconds_until

if TYPE_CHECKING:
    import httpx

MAY_ASK_TO_WAIT = (403, 429)


@dataclass(frozen=True)
class WireReply:
    status: int
    content: bytes = b""
    etag: str = ""
    more: bool | None = None
    """Whether there is a next page, where the forge says so."""
    wait: float | None = None
    """For how many seconds it asks to be left alone."""


class NoReply(Exception):
    def __init__(self, reason: BaseException) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Wire(Protocol):
    async def request(
        self, method: str, target: str, body: Any, headers: Mapping[str, str]
    ) -> WireReply:
        """Whatever the status; raises NoReply where none came."""

    def stream(self, target: str) -> AsyncIterator[bytes | WireReply]:
        """A text in pieces; a reply alone where it is refused."""


def has_next(headers: Mapping[str, str]) -> bool | None:
    link = headers.get("link")
    return None if link is None else 'rel="next"' in link


class HttpWire:
    """Redirects are followed by reads alone: what writes must not turn into something else."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def request(
        self, method: str, target: str, body: Any, headers: Mapping[str, str]
    ) -> WireReply:
        import httpx

        try:
            response = await self._client.request(
                method, target, json=body, headers=headers, follow_redirects=method == "GET"
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoReply(error) from error
        return _reply(response)

    async def stream(self, target: str) -> AsyncIterator[bytes | WireReply]:
        import httpx

        try:
            async with self._client.stream("GET", target, follow_redirects=True) as response:
                if response.is_error:
                    await response.aread()
                    yield _reply(response)
                    return
                async for chunk in response.aiter_bytes():
                    yield chunk
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoReply(error) from error


@asynccontextmanager
async def http_wire(api: str, headers: Mapping[str, str], seconds: float) -> AsyncIterator[Wire]:
    import httpx

    own = {"User-Agent": "manyhands", "Accept": "application/json, */*;q=0.5", **headers}
    async with httpx.AsyncClient(base_url=api, headers=own, timeout=seconds) as client:
        yield HttpWire(client)


def _reply(response: httpx.Response) -> WireReply:
    headers = response.headers
    return WireReply(
        response.status_code,
        response.content,
        etag=headers.get("etag", ""),
        more=has_next(headers),
        wait=_wait(headers) if response.status_code in MAY_ASK_TO_WAIT else None,
    )


def _wait(headers: Mapping[str, str]) -> float | None:
    """In seconds or as a date; or until the moment at which requests are counted anew."""
    asked = headers.get("retry-after", "")
    if asked.isdecimal():
        return float(asked)
    if asked:
        try:
            return seconds_until(instant(parsedate_to_datetime(asked).timestamp()))
        except ValueError:
            return None
    reset = headers.get("ratelimit-reset", "")
    if headers.get("ratelimit-remaining") == "0" and reset.isdecimal():
        return seconds_until(instant(float(reset)))
    return None
