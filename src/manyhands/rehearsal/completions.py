"""OpenAI Chat Completions: read a request as a conversation, play a step as its answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from manyhands.rehearsal import openai, script
from manyhands.rehearsal.reply import (
    Reply,
    compact_json,
    data_frame,
    garbage_reply,
    json_reply,
    slices,
    stream_reply,
    tokens_in,
    tokens_out,
    words,
)
from manyhands.rehearsal.script import ModelTurn, Step, Turn, UserText


class _Call(msgspec.Struct, frozen=True):
    id: str = ""


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: Any = ""
    tool_calls: list[_Call] | None = None


class _StreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool = False


class Request(msgspec.Struct, frozen=True):
    messages: list[_Message]
    model: str = "rehearsal"
    stream: bool | None = False
    stream_options: _StreamOptions | None = None


_decode = msgspec.json.Decoder(Request).decode


def answer(body: bytes, response: str) -> Reply:
    request = _decode(body)
    sources = [text for message in request.messages for text in openai.texts(message.content)]
    named = script.model_source(request.model)
    step = script.substituted(script.next_step(turns(request)), [named, *sources])
    if step.fails:
        return openai.error_reply(step)
    if step.garbage:
        return garbage_reply(step)
    head = {"id": f"chatcmpl-{response}", "created": 0, "model": request.model}
    usage = _usage(step, len(body))
    if request.stream:
        options = request.stream_options or _StreamOptions()
        wanted = usage if options.include_usage else None
        return stream_reply(_chunks(head, step, response, wanted), step)
    choice = {"index": 0, "message": _message(step, response), "finish_reason": _finish(step)}
    whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
    return json_reply(whole, delay=step.delay)


def turns(request: Request) -> list[Turn]:
    found: list[Turn] = []
    for message in request.messages:
        if message.role == "assistant":
            found.append(ModelTurn(tuple(call.id for call in message.tool_calls or ())))
        elif message.role == "user":
            found += [UserText(text) for text in openai.texts(message.content)]
    return found


def _finish(step: Step) -> str:
    return "tool_calls" if step.calls else "stop"


def _usage(step: Step, size: int) -> dict[str, int]:
    used_in, used_out = tokens_in(step, size), tokens_out(step)
    return {
        "prompt_tokens": used_in,
        "completion_tokens": used_out,
        "total_tokens": used_in + used_out,
    }


def _message(step: Step, response: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None}
    if step.thinking:
        message["reasoning_content"] = step.thinking
    if step.calls:
        message["tool_calls"] = [
            _call(call.tool, compact_json(call.input), script.call_id(response, index))
            for index, call in enumerate(step.calls)
        ]
    return message


def _call(name: str, arguments: str, call_id: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def _chunks(
    head: dict[str, Any], step: Step, response: str, usage: dict[str, int] | None
) -> Iterator[bytes]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return data_frame({**head, "object": "chat.completion.chunk", "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for delta in _deltas(step, response):
        yield chunk(delta)
    last = chunk({}, _finish(step))
    if usage is not None:
        whole = {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}
        last += data_frame(whole)
    yield last + b"data: [DONE]\n\n"


def _deltas(step: Step, response: str) -> Iterator[dict[str, Any]]:
    for piece in words(step.thinking):
        yield {"reasoning_content": piece}
    for piece in words(step.text):
        yield {"content": piece}
    for index, call in enumerate(step.calls):
        opening = _call(call.tool, "", script.call_id(response, index))
        yield {"tool_calls": [{"index": index, **opening}]}
        for piece in slices(compact_json(call.input)):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
