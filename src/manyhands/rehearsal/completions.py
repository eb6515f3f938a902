"""OpenAI Chat Completions: read a request as a conversation, play a step as its answer."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from manyhands.rehearsal import openai, script
from manyhands.rehearsal import reply as r
from manyhands.rehearsal.script import ModelTurn, ScriptStep, Turn, UserText


class _Call(msgspec.Struct, frozen=True):
    id: str = ""


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: object = ""
    tool_calls: list[_Call] | None = None


class _StreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool = False


class CompletionsRequest(msgspec.Struct, frozen=True):
    messages: list[_Message]
    model: str = "rehearsal"
    stream: bool | None = False
    stream_options: _StreamOptions | None = None


_decode = msgspec.json.Decoder(CompletionsRequest).decode


def answer(body: bytes, response: str) -> r.ModelReply:
    request = _decode(body)
    sources = [text for message in request.messages for text in openai.texts(message.content)]
    step = script.substituted(script.next_step(turns(request)), sources, request.model)
    if step.fails:
        return openai.error_reply(step)
    head = {"id": f"chatcmpl-{response}", "created": 0, "model": request.model}
    usage = _usage(step, len(body))
    choice = {"index": 0, "message": _message(step, response), "finish_reason": _finish(step)}
    whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
    wanted = request.stream_options and request.stream_options.include_usage
    frames = _chunks(head, step, response, usage if wanted else None)
    return r.step_reply(step, whole, frames if request.stream else None)


def turns(request: CompletionsRequest) -> list[Turn]:
    found: list[Turn] = []
    for message in request.messages:
        if message.role == "assistant":
            found.append(ModelTurn(tuple(call.id for call in message.tool_calls or ())))
        elif message.role == "user":
            found += [UserText(text) for text in openai.texts(message.content)]
    return found


def _finish(step: ScriptStep) -> str:
    return "tool_calls" if step.calls else "stop"


def _usage(step: ScriptStep, size: int) -> dict[str, int]:
    used_in, used_out = r.tokens_in(step, size), r.tokens_out(step)
    return {
        "prompt_tokens": used_in,
        "completion_tokens": used_out,
        "total_tokens": used_in + used_out,
    }


def _message(step: ScriptStep, response: str) -> r.Json:
    message: r.Json = {"role": "assistant", "content": step.text or None}
    if step.thinking:
        message["reasoning_content"] = step.thinking
    if step.calls:
        message["tool_calls"] = [
            _call(call.tool, r.compact_json(call.input), script.call_id(response, index))
            for index, call in enumerate(step.calls)
        ]
    return message


def _call(name: str, arguments: str, call_id: str) -> r.Json:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def _chunks(
    head: r.Json, step: ScriptStep, response: str, usage: dict[str, int] | None
) -> Iterator[bytes]:
    def chunk(delta: r.Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return r.data_frame({**head, "object": "chat.completion.chunk", "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for delta in _deltas(step, response):
        yield chunk(delta)
    last = chunk({}, _finish(step))
    if usage is not None:
        whole = {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}
        last += r.data_frame(whole)
    yield last + b"data: [DONE]\n\n"


def _deltas(step: ScriptStep, response: str) -> Iterator[r.Json]:
    for piece in r.words(step.thinking):
        yield {"reasoning_content": piece}
    for piece in r.words(step.text):
        yield {"content": piece}
    for index, call in enumerate(step.calls):
        opening = _call(call.tool, "", script.call_id(response, index))
        yield {"tool_calls": [{"index": index, **opening}]}
        for piece in r.slices(r.compact_json(call.input)):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
