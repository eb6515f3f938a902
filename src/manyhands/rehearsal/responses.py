"""OpenAI Responses: read a request as a conversation, play a step as its answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, groupby

import msgspec

from manyhands.rehearsal import openai, script
from manyhands.rehearsal import reply as r
from manyhands.rehearsal.script import ModelTurn, ScriptStep, ToolCall, Turn, UserText

_MODEL_ITEMS = ("reasoning", "function_call", "custom_tool_call")


class _Item(msgspec.Struct, frozen=True):
    type: str = "message"
    role: str = ""
    content: object = ""
    call_id: str = ""
    output: object = ""

    @property
    def from_model(self) -> bool:
        return self.role == "assistant" or self.type in _MODEL_ITEMS


class _Tool(msgspec.Struct, frozen=True):
    type: str = ""
    name: str = ""


class ResponsesRequest(msgspec.Struct, frozen=True):
    input: str | list[_Item] = ""
    instructions: str | None = None
    model: str = "rehearsal"
    stream: bool | None = False
    tools: list[_Tool] | None = None

    @property
    def items(self) -> list[_Item]:
        if isinstance(self.input, str):
            return [_Item(role="user", content=self.input)]
        return self.input


_decode = msgspec.json.Decoder(ResponsesRequest).decode


def answer(body: bytes, response: str) -> r.ModelReply:
    request = _decode(body)
    step = script.substituted(script.next_step(turns(request)), sources(request), request.model)
    if step.fails:
        return openai.error_reply(step)
    whole = _whole(request, step, response, len(body))
    return r.step_reply(step, whole, _events(whole) if request.stream else None)


def turns(request: ResponsesRequest) -> list[Turn]:
    """A model turn comes back as several items in a row: reasoning, message, calls."""
    found: list[Turn] = []
    for from_model, items in groupby(request.items, key=lambda item: item.from_model):
        if from_model:
            found.append(ModelTurn(tuple(item.call_id for item in items if item.call_id)))
        else:
            spoken = (item for item in items if item.role == "user")
            found += [UserText(text) for item in spoken for text in openai.texts(item.content)]
    return found


def sources(request: ResponsesRequest) -> list[str]:
    """All text of the request, oldest first, for `subst`."""
    found = openai.texts(request.instructions)
    for item in request.items:
        found += openai.texts(item.content) + openai.texts(item.output)
    return found


def _whole(request: ResponsesRequest, step: ScriptStep, response: str, size: int) -> r.Json:
    used_in, used_out = r.tokens_in(step, size), r.tokens_out(step)
    return {
        "id": f"resp_{response}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": request.model,
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": True,
        "output": list(_output(request, step, response)),
        "usage": {
            "input_tokens": used_in,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": used_out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": used_in + used_out,
        },
    }


def _output(request: ResponsesRequest, step: ScriptStep, response: str) -> Iterator[r.Json]:
    if step.thinking:
        summary = [{"type": "summary_text", "text": step.thinking}]
        yield {"type": "reasoning", "id": f"rs_{response}", "summary": summary}
    if step.text or not step.calls:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        yield {
            "type": "message",
            "id": f"msg_{response}",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    freeform = {tool.name for tool in request.tools or () if tool.type == "custom"}
    for index, call in enumerate(step.calls):
        yield _call_item(call, response, index, freeform=call.tool in freeform)


def _call_item(call: ToolCall, response: str, index: int, *, freeform: bool) -> r.Json:
    item = {
        "id": f"fc_{response}_{index}",
        "call_id": script.call_id(response, index),
        "name": call.tool,
        "status": "completed",
    }
    if freeform:
        given = call.input.get("input", "") if isinstance(call.input, dict) else call.input
        return {"type": "custom_tool_call", **item, "input": given}
    return {"type": "function_call", **item, "arguments": r.compact_json(call.input)}


def _events(whole: r.Json) -> Iterator[bytes]:
    numbers = count()
    started = {**whole, "status": "in_progress", "output": [], "usage": None}
    frame = b""
    for kind, data in (
        ("response.created", {"response": started}),
        ("response.in_progress", {"response": started}),
        *_item_events(whole["output"]),
        ("response.completed", {"response": whole}),
    ):
        frame += r.event(kind, {"sequence_number": next(numbers), **data})
        if kind.endswith(".delta"):
            yield frame
            frame = b""
    yield frame


Event = tuple[str, r.Json]


def _item_events(output: list[r.Json]) -> Iterator[Event]:
    for index, item in enumerate(output):
        where = {"item_id": item["id"], "output_index": index}
        opened: r.Json
        match item["type"]:
            case "message":
                opened, where = {"content": []}, {**where, "content_index": 0}
                inner = _part_events("content_part", "output_text", item["content"][0], where)
            case "reasoning":
                opened, where = {"summary": []}, {**where, "summary_index": 0}
                names = "reasoning_summary_part", "reasoning_summary_text"
                inner = _part_events(*names, item["summary"][0], where)
            case "custom_tool_call":
                opened, done = {"input": ""}, {"input": item["input"]}
                inner = _call_events("custom_tool_call_input", item["input"], where, done)
            case _:
                opened, done = {"arguments": ""}, {k: item[k] for k in ("name", "arguments")}
                inner = _call_events("function_call_arguments", item["arguments"], where, done)
        if "status" in item:
            opened["status"] = "in_progress"
        yield "response.output_item.added", {"output_index": index, "item": {**item, **opened}}
        yield from inner
        yield "response.output_item.done", {"output_index": index, "item": item}


def _part_events(name: str, text: str, part: r.Json, where: r.Json) -> Iterator[Event]:
    yield f"response.{name}.added", {**where, "part": {**part, "text": ""}}
    for piece in r.words(part["text"]):
        yield f"response.{text}.delta", {**where, "delta": piece}
    yield f"response.{text}.done", {**where, "text": part["text"]}
    yield f"response.{name}.done", {**where, "part": part}


def _call_events(name: str, given: str, where: r.Json, done: r.Json) -> Iterator[Event]:
    for piece in r.slices(given):
        yield f"response.{name}.delta", {**where, "delta": piece}
    yield f"response.{name}.done", {**where, **done}
