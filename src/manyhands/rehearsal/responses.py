"""OpenAI Responses: read a request as a conversation, play a step as its answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, groupby
from typing import Any

import msgspec

from manyhands.rehearsal import openai, script
from manyhands.rehearsal.reply import (
    Reply,
    compact_json,
    event,
    garbage_reply,
    json_reply,
    slices,
    stream_reply,
    tokens_in,
    tokens_out,
    words,
)
from manyhands.rehearsal.script import ModelTurn, Step, ToolCall, Turn, UserText

_MODEL_ITEMS = ("reasoning", "function_call", "custom_tool_call")


class _Item(msgspec.Struct, frozen=True):
    type: str = "message"
    role: str = ""
    content: Any = ""
    call_id: str = ""
    output: Any = ""

    @property
    def from_model(self) -> bool:
        return self.role == "assistant" or self.type in _MODEL_ITEMS


class _Tool(msgspec.Struct, frozen=True):
    type: str = ""
    name: str = ""


class Request(msgspec.Struct, frozen=True):
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


_decode = msgspec.json.Decoder(Request).decode


def answer(body: bytes, response: str) -> Reply:
    request = _decode(body)
    named = script.model_source(request.model)
    step = script.substituted(script.next_step(turns(request)), [named, *sources(request)])
    if step.fails:
        return openai.error_reply(step)
    if step.garbage:
        return garbage_reply(step)
    whole = _whole(request, step, response, len(body))
    if request.stream:
        return stream_reply(_events(whole), step)
    return json_reply(whole, delay=step.delay)


def turns(request: Request) -> list[Turn]:
    """A model turn comes back as several items in a row: reasoning, message, calls."""
    found: list[Turn] = []
    for from_model, items in groupby(request.items, key=lambda item: item.from_model):
        if from_model:
            found.append(ModelTurn(tuple(item.call_id for item in items if item.call_id)))
        else:
            spoken = (item for item in items if item.role == "user")
            found += [UserText(text) for item in spoken for text in openai.texts(item.content)]
    return found


def sources(request: Request) -> list[str]:
    """All text of the request, oldest first, for `subst`."""
    found = openai.texts(request.instructions)
    for item in request.items:
        found += openai.texts(item.content) + openai.texts(item.output)
    return found


def _whole(request: Request, step: Step, response: str, size: int) -> dict[str, Any]:
    used_in, used_out = tokens_in(step, size), tokens_out(step)
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


def _output(request: Request, step: Step, response: str) -> Iterator[dict[str, Any]]:
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


def _call_item(call: ToolCall, response: str, index: int, *, freeform: bool) -> dict[str, Any]:
    item = {
        "id": f"fc_{response}_{index}",
        "call_id": script.call_id(response, index),
        "name": call.tool,
        "status": "completed",
    }
    if freeform:
        given = call.input.get("input", "") if isinstance(call.input, dict) else call.input
        return {"type": "custom_tool_call", **item, "input": given}
    return {"type": "function_call", **item, "arguments": compact_json(call.input)}


def _events(whole: dict[str, Any]) -> Iterator[bytes]:
    numbers = count()
    started = {**whole, "status": "in_progress", "output": [], "usage": None}
    frame = b""
    for kind, data in (
        ("response.created", {"response": started}),
        ("response.in_progress", {"response": started}),
        *_item_events(whole["output"]),
        ("response.completed", {"response": whole}),
    ):
        frame += event(kind, {"sequence_number": next(numbers), **data})
        if kind.endswith(".delta"):
            yield frame
            frame = b""
    yield frame


Event = tuple[str, dict[str, Any]]


def _item_events(output: list[dict[str, Any]]) -> Iterator[Event]:
    for index, item in enumerate(output):
        where = {"item_id": item["id"], "output_index": index}
        opened: dict[str, Any]
        match item["type"]:
            case "message":
                opened, inner = {"content": []}, _text_events(item, where)
            case "reasoning":
                opened, inner = {"summary": []}, _summary_events(item, where)
            case "custom_tool_call":
                opened, inner = {"input": ""}, _custom_events(item, where)
            case _:
                opened, inner = {"arguments": ""}, _argument_events(item, where)
        if "status" in item:
            opened["status"] = "in_progress"
        yield "response.output_item.added", {"output_index": index, "item": {**item, **opened}}
        yield from inner
        yield "response.output_item.done", {"output_index": index, "item": item}


def _text_events(item: dict[str, Any], where: dict[str, Any]) -> Iterator[Event]:
    part = item["content"][0]
    where = {**where, "content_index": 0}
    yield "response.content_part.added", {**where, "part": {**part, "text": ""}}
    for piece in words(part["text"]):
        yield "response.output_text.delta", {**where, "delta": piece}
    yield "response.output_text.done", {**where, "text": part["text"]}
    yield "response.content_part.done", {**where, "part": part}


def _summary_events(item: dict[str, Any], where: dict[str, Any]) -> Iterator[Event]:
    part = item["summary"][0]
    where = {**where, "summary_index": 0}
    yield "response.reasoning_summary_part.added", {**where, "part": {**part, "text": ""}}
    for piece in words(part["text"]):
        yield "response.reasoning_summary_text.delta", {**where, "delta": piece}
    yield "response.reasoning_summary_text.done", {**where, "text": part["text"]}
    yield "response.reasoning_summary_part.done", {**where, "part": part}


def _argument_events(item: dict[str, Any], where: dict[str, Any]) -> Iterator[Event]:
    for piece in slices(item["arguments"]):
        yield "response.function_call_arguments.delta", {**where, "delta": piece}
    done = {"name": item["name"], "arguments": item["arguments"]}
    yield "response.function_call_arguments.done", {**where, **done}


def _custom_events(item: dict[str, Any], where: dict[str, Any]) -> Iterator[Event]:
    for piece in slices(item["input"]):
        yield "response.custom_tool_call_input.delta", {**where, "delta": piece}
    yield "response.custom_tool_call_input.done", {**where, "input": item["input"]}
