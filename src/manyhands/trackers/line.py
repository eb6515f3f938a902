"""A line to a tracker: as to a forge, and with GraphQL and the words in which trackers refuse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

import msgspec

from manyhands.errors import ForgeFailed
from manyhands.forges.exchange import PAUSE, READ_TRIES, Exchange, Line
from manyhands.forges.failures import refusal, told_to_wait
from manyhands.forges.remote import require_safe
from manyhands.forges.wire import WireReply, http_wire
from manyhands.model.clock import monotonic

LIMITED = 429
REFUSED = 422
STATUSES = {"AUTHENTICATION_ERROR": 401, "FORBIDDEN": 403, "RATELIMITED": LIMITED}
LONG_WAIT = 60.0
"""Where nothing was said of how long."""
FIRST_ERROR = 300
T = TypeVar("T")


class Extensions(msgspec.Struct, frozen=True, rename="camel"):
    code: str = ""
    user_presentable_message: str = ""


class Complaint(msgspec.Struct, frozen=True):
    message: str = ""
    extensions: Extensions = Extensions()

    @property
    def words(self) -> str:
        return self.extensions.user_presentable_message or self.message


class Refusing(msgspec.Struct, frozen=True, rename="camel"):
    """What is said to be wrong, in GraphQL's way or in Jira's."""

    errors: list[Complaint] | dict[str, str] = []
    error_messages: list[str] = []
    error_message: str = ""

    @property
    def complaints(self) -> list[Complaint]:
        texts = [*self.error_messages, *filter(None, [self.error_message])]
        if isinstance(self.errors, dict):
            texts += [f"{name}: {text}" for name, text in self.errors.items()]
            return [*map(Complaint, texts)]
        return [*map(Complaint, texts), *self.errors]


class GraphAnswer(msgspec.Struct, frozen=True):
    data: msgspec.Raw = msgspec.Raw(b"null")


class TrackerLine(Line):
    async def query(self, kind: type[T], path: str, text: str, **variables: object) -> T:
        """GraphQL; a mutation is sent once."""
        body = {"query": text, "variables": variables}
        left = 1 if text.lstrip().startswith("mutation") else READ_TRIES
        while True:
            left -= 1
            try:
                reply = await self.send(msgspec.Raw, "POST", path, body)
                break
            except ForgeFailed as error:
                if left <= 0 or not error.unsure:
                    raise
            await asyncio.sleep(PAUSE)
        if _complaints(bytes(reply)):
            raise self.failure("POST", path, WireReply(REFUSED, bytes(reply)))
        return self.read(kind, path, bytes(self.read(GraphAnswer, path, bytes(reply)).data))

    def failure(self, method: str, path: str, reply: WireReply) -> ForgeFailed:
        said = _complaints(reply.content)
        known = [STATUSES[c.extensions.code] for c in said if c.extensions.code in STATUSES]
        status = known[0] if known else reply.status
        if status == LIMITED:
            wait = LONG_WAIT if reply.wait is None else reply.wait
            self.exchange.waits[self.api] = monotonic() + wait
            return told_to_wait(self.host, wait)
        words = "; ".join(c.words.rstrip(".") for c in said)
        content = msgspec.json.encode({"message": words}) if said else reply.content
        return refusal(self.host, method, path, status, content, self.token_hint)


def _complaints(content: bytes) -> list[Complaint]:
    if b'"error' not in content:
        return []
    try:
        return msgspec.json.decode(content, type=Refusing).complaints
    except msgspec.DecodeError:
        return []


@asynccontextmanager
async def tracker_line(
    exchange: Exchange, address: str, headers: Mapping[str, str], seconds: float, token_hint: str
) -> AsyncIterator[TrackerLine]:
    """Connections to one address as the holder of one token, for one operation."""
    api = require_safe(address.rstrip("/"))
    async with http_wire(api, headers, seconds) as wire:
        yield TrackerLine(exchange, wire, api, repr(sorted(headers.items())), token_hint)
