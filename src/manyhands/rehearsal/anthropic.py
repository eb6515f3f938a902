"""Anthropic Messages: read a request as a conversation, play a step as its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

import msgspec

from manyhands.rehearsal import reply as r
from manyhands.rehearsal import script
from manyhands.rehearsal.script import ModelTurn, ScriptStep, Turn, UserText

_ERROR_TYPES = {
    **r.ERROR_TYPES,
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}

# Claude Code hands a message that was sent while it works to the model inside a note of its own.
_STEERED = re.compile(r"(?:\A|\n|<system-reminder>\n)The user sent a new message while you were ")
# It also makes up a turn of the model's when it resumes, and asks for summaries by itself.
_MADE_UP = "No response requested."
_SUMMARY_WANTED = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."
_SUMMARY = (
    "<analysis>Nothing to weigh.</analysis>\n<summary>The script so far was played.</summary>"
)


class _Block(msgspec.Struct, frozen=True):
    type: str = ""
    text: str = ""
    id: str = ""
    content: object = ""


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: str | list[_Block]

    @property
    def blocks(self) -> list[_Block]:
        return [_Block("text", self.content)] if isinstance(self.content, str) else self.content


class _Format(msgspec.Struct, frozen=True):
    schema: r.Json = {}


class _OutputConfig(msgspec.Struct, frozen=True):
    format: _Format | None = None


class MessagesRequest(msgspec.Struct, frozen=True):
    messages: list[_Message]
    model: str = "rehearsal"
    stream: bool = False
    system: str | list[_Block] = ""
    output_config: _OutputConfig = _OutputConfig()


_decode = msgspec.json.Decoder(MessagesRequest).decode


def answer(body: bytes, response: str) -> r.ModelReply:
    request = _decode(body)
    step = script.substituted(_next_step(request), sources(request), request.model)
    if step.fails:
        return error_reply(step)
    message = _message(request, step, response, len(body))
    return r.step_reply(step, message, _events(message) if request.stream else None)


def _next_step(request: MessagesRequest) -> ScriptStep:
    """The script's next step, unless the agent asks on its own behalf (a title, a summary)."""
    conversation = turns(request)
    if wanted := request.output_config.format:
        return ScriptStep(text=r.compact_json(_example(wanted.schema)))
    match conversation:
        case [*_, UserText(text)] if text.startswith(_SUMMARY_WANTED):
            return ScriptStep(text=_SUMMARY)
    return script.next_step(conversation)


def _example(schema: r.Json) -> object:
    """The smallest value that a simple JSON schema allows."""
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            return {name: _example(fields.get(name, {})) for name in schema.get("required", ())}
        case "array":
            return []
        case "boolean":
            return False
        case "integer" | "number":
            return 0
        case _:
            return next(iter(schema.get("enum", ())), "Rehearsal")


def count_tokens(body: bytes, response: str) -> r.ModelReply:
    _decode(body)
    return r.json_reply({"input_tokens": r.estimate(len(body))})


def error_reply(step: ScriptStep) -> r.ModelReply:
    kind = _ERROR_TYPES.get(step.status, "api_error")
    return r.error_reply(step, {"type": kind, "message": kind}, type="error")


def turns(request: MessagesRequest) -> list[Turn]:
    return [turn for message in request.messages for turn in _turns_in(message)]


def _turns_in(message: _Message) -> Iterator[Turn]:
    if message.role == "assistant":
        if [block.text for block in message.blocks] != [_MADE_UP]:
            yield ModelTurn(tuple(block.id for block in message.blocks if block.id))
        return
    for block in message.blocks:
        if message.role == "user" and block.type == "text":
            yield UserText(block.text)
        for text in _texts(block):
            if steered := _STEERED.search(text):
                yield UserText(text[steered.end() :])


def sources(request: MessagesRequest) -> list[str]:
    """All text of the request, oldest first, for `subst`."""
    system = _Message("system", request.system)
    return [text for m in (system, *request.messages) for b in m.blocks for text in _texts(b)]


def _texts(block: _Block) -> Iterator[str]:
    if block.text:
        yield block.text
    if isinstance(block.content, str):
        yield block.content
    elif isinstance(block.content, list):
        yield from (part["text"] for part in block.content if part.get("type") == "text")


def _message(request: MessagesRequest, step: ScriptStep, response: str, size: int) -> r.Json:
    return {
        "id": f"msg_{response}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": list(_content(step, response)),
        "stop_reason": "tool_use" if step.calls else "end_turn",
        "stop_sequence": None,
        "usage": _usage(request, step, size),
    }


def _usage(request: MessagesRequest, step: ScriptStep, size: int) -> dict[str, int]:
    """As a real model counts: all but the newest messages comes from its cache."""
    given, total = step.usage.tokens_in, r.estimate(size)
    seen = any(message.role == "assistant" for message in request.messages)
    fresh = total if given is None else given
    cached = 0 if given is not None else total - min(total, _newest_tokens(request))
    return {
        "input_tokens": fresh - cached,
        "cache_creation_input_tokens": 0 if seen else cached,
        "cache_read_input_tokens": cached if seen else 0,
        "output_tokens": r.tokens_out(step),
    }


def _newest_tokens(request: MessagesRequest) -> int:
    newest = takewhile(lambda message: message.role != "assistant", reversed(request.messages))
    return r.estimate(sum(len(text) for m in newest for b in m.blocks for text in _texts(b)))


def _content(step: ScriptStep, response: str) -> Iterator[r.Json]:
    if step.thinking:
        yield {"type": "thinking", "thinking": step.thinking, "signature": "rehearsal"}
    if step.text or not step.calls:
        yield {"type": "text", "text": step.text}
    for index, call in enumerate(step.calls):
        call_id = script.call_id(response, index)
        yield {"type": "tool_use", "id": call_id, "name": call.tool, "input": call.input}


def _events(message: r.Json) -> Iterator[bytes]:
    usage = message["usage"]
    start = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield r.event("message_start", {"message": start}) + r.event("ping", {})
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield r.event("message_delta", {"delta": delta, "usage": usage}) + r.event("message_stop", {})


def _block_events(index: int, block: r.Json) -> Iterator[bytes]:
    empty, deltas = _opened(block)
    opening = r.event("content_block_start", {"index": index, "content_block": empty})
    for delta in deltas:
        yield opening + r.event("content_block_delta", {"index": index, "delta": delta})
        opening = b""
    yield opening + r.event("content_block_stop", {"index": index})


def _opened(block: r.Json) -> tuple[r.Json, Iterator[r.Json]]:
    """A block as it is announced, and the deltas that fill it."""
    match block["type"]:
        case "text":
            pieces = ({"type": "text_delta", "text": text} for text in r.words(block["text"]))
            return {**block, "text": ""}, pieces
        case "thinking":
            return {**block, "thinking": "", "signature": ""}, _thinking_deltas(block)
        case _:
            cut = r.slices(r.compact_json(block["input"]))
            return {**block, "input": {}}, (
                {"type": "input_json_delta", "partial_json": piece} for piece in cut
            )


def _thinking_deltas(block: r.Json) -> Iterator[r.Json]:
    for piece in r.words(block["thinking"]):
        yield {"type": "thinking_delta", "thinking": piece}
    yield {"type": "signature_delta", "signature": block["signature"]}
