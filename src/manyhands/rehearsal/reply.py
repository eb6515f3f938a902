"""What goes back over HTTP: one JSON body, or a stream of server-sent events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from manyhands.rehearsal.script import ScriptStep

MAX_PIECES = 64
_MIN_SLICE = 16
# More would make an agent compact its context, which no script provides for.
_MAX_ESTIMATE = 100_000
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
}
"""What all interfaces call alike."""

Json = dict[str, Any]
_encode = msgspec.json.Encoder().encode


class ModelReply(msgspec.Struct, frozen=True):
    """`frames` are sent in order: the first after `delay`, then one every `chunk_delay`."""

    frames: Iterable[bytes]
    content_type: str = "application/json"
    status: int = 200
    delay: float = 0.0
    chunk_delay: float = 0.0
    headers: Mapping[str, str] = {}


def json_reply(
    body: object, *, status: int = 200, delay: float = 0.0, headers: Mapping[str, str] | None = None
) -> ModelReply:
    return ModelReply((_encode(body),), status=status, delay=delay, headers=headers or {})


def step_reply(step: ScriptStep, whole: object, frames: Iterable[bytes] | None) -> ModelReply:
    """What the step says: as a stream where one was asked for, else whole."""
    if step.garbage:
        # What no client can read, under the head of a good answer.
        frames = (step.garbage.encode(),)
    if frames is None:
        return json_reply(whole, delay=step.delay)
    return ModelReply(
        frames, "text/event-stream; charset=utf-8", delay=step.delay, chunk_delay=step.chunk_delay
    )


def error_reply(step: ScriptStep, error: Json, **around: object) -> ModelReply:
    """`error` is how the interface words it; what the script says of it comes before that."""
    said = {"message": step.error} if isinstance(step.error, str) and step.error else step.error
    body = {**around, "error": {**error, **(said or {})}}
    return json_reply(body, status=step.status, delay=step.delay, headers=step.headers)


def event(kind: str, data: Json) -> bytes:
    """A named server-sent event whose data repeats the name as its type."""
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), _encode({"type": kind, **data}))


def data_frame(data: object) -> bytes:
    return b"data: %b\n\n" % _encode(data)


def words(text: str) -> Iterator[str]:
    """Cut text at words into at most `MAX_PIECES` pieces."""
    found = re.findall(r"\s*\S+\s*?(?=\s|$)|\s+$", text) if text else []
    size = -(-len(found) // MAX_PIECES) or 1
    for start in range(0, len(found), size):
        yield "".join(found[start : start + size])


def slices(text: str) -> Iterator[str]:
    """Cut machine-read text into at most `MAX_PIECES` slices of equal length."""
    size = max(_MIN_SLICE, -(-len(text) // MAX_PIECES))
    for start in range(0, len(text), size):
        yield text[start : start + size]


def compact_json(value: object) -> str:
    return _encode(value).decode()


def tokens_in(step: ScriptStep, request_bytes: int) -> int:
    given = step.usage.tokens_in
    return estimate(request_bytes) if given is None else given


def tokens_out(step: ScriptStep) -> int:
    if step.usage.out is not None:
        return step.usage.out
    calls = sum(len(compact_json(call.input)) + len(call.tool) for call in step.calls)
    return estimate(len(step.text) + len(step.thinking) + calls)


def estimate(characters: int) -> int:
    return min(max(1, characters // 4), _MAX_ESTIMATE)
