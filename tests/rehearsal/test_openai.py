from __future__ import annotations

import json
from typing import Any

import pytest

from manyhands.rehearsal import completions, responses
from tests.rehearsal.claude import script

STEP = {
    "thinking": "hm",
    "text": "two words",
    "tools": [
        {"tool": "shell", "input": {"command": ["ls", "-l", "a rather long name"]}},
        {"tool": "apply_patch", "input": {"input": "*** Begin Patch"}},
    ],
    "usage": {"in": 7, "out": 8},
}
PROMPT = script(STEP, {"text": "end"})
CUSTOM = [{"type": "function", "name": "shell"}, {"type": "custom", "name": "apply_patch"}]


def respond(given: Any, **more: Any) -> Any:
    reply = responses.answer(json.dumps({"input": given, **more}).encode(), "r1")
    return json.loads(b"".join(reply.frames))


def complete(*messages: dict[str, Any]) -> Any:
    reply = completions.answer(json.dumps({"messages": messages}).encode(), "r1")
    return json.loads(b"".join(reply.frames))


def test_a_response_holds_reasoning_message_and_both_kinds_of_calls() -> None:
    whole = respond(PROMPT, tools=CUSTOM)
    kinds = [item["type"] for item in whole["output"]]
    assert kinds == ["reasoning", "message", "function_call", "custom_tool_call"]
    assert json.loads(whole["output"][2]["arguments"])["command"][0] == "ls"
    assert whole["output"][3]["input"] == "*** Begin Patch"
    assert whole["usage"]["total_tokens"] == 15


def test_a_responses_stream_announces_fills_and_finishes_every_item() -> None:
    body = json.dumps({"input": PROMPT, "stream": True, "tools": CUSTOM}).encode()
    frames = b"".join(responses.answer(body, "r1").frames).decode().strip().split("\n\n")
    events = [json.loads(frame.split("\ndata: ")[1]) for frame in frames]
    kinds = [event["type"].removeprefix("response.") for event in events]
    order = list(dict.fromkeys(kinds))
    assert order == [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "custom_tool_call_input.delta",
        "custom_tool_call_input.done",
        "completed",
    ]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert kinds.count("output_item.added") == kinds.count("output_item.done") == 4
    arguments = [e["delta"] for e in events if e["type"].endswith("arguments.delta")]
    assert len(arguments) > 1
    assert "".join(arguments) == events[-1]["response"]["output"][2]["arguments"]


def test_a_responses_turn_that_comes_back_in_pieces_is_one_step() -> None:
    output = respond(PROMPT)["output"]
    calls = [item for item in output if item["type"] == "function_call"]
    results = [
        {"type": "function_call_output", "call_id": c["call_id"], "output": PROMPT} for c in calls
    ]
    prompt = {"role": "user", "content": [{"type": "input_text", "text": PROMPT}]}
    for history in (
        [prompt, *output, *results],
        [prompt, *output[:3], results[0], output[3], results[1]],
    ):
        assert respond(history)["output"][0]["content"][0]["text"] == "end"


def test_a_completion_holds_text_reasoning_and_calls() -> None:
    whole = complete({"role": "user", "content": PROMPT})
    message = whole["choices"][0]["message"]
    assert (message["content"], message["reasoning_content"]) == ("two words", "hm")
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["shell", "apply_patch"]
    assert whole["choices"][0]["finish_reason"] == "tool_calls"
    assert whole["usage"]["prompt_tokens"] == 7


def test_a_completions_history_leads_to_the_next_step() -> None:
    prompt = {"role": "user", "content": [{"type": "text", "text": PROMPT}]}
    said = complete(prompt)["choices"][0]["message"]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": PROMPT}
        for call in said["tool_calls"]
    ]
    whole = complete(prompt, said, *results)
    assert whole["choices"][0]["message"]["content"] == "end"
    assert whole["choices"][0]["finish_reason"] == "stop"


def test_a_completions_stream_adds_up_and_ends_with_usage() -> None:
    request = {
        "messages": [{"role": "user", "content": PROMPT}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    frames = b"".join(completions.answer(json.dumps(request).encode(), "r1").frames).decode()
    *data, done = [frame.removeprefix("data: ") for frame in frames.strip().split("\n\n")]
    chunks = [json.loads(each) for each in data]
    assert done == "[DONE]"
    assert chunks[-1]["usage"]["completion_tokens"] == 8
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks[:-1]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "two words"
    pieces = [call for delta in deltas for call in delta.get("tool_calls", ())]
    second = "".join(piece["function"]["arguments"] for piece in pieces if piece["index"] == 1)
    assert json.loads(second) == {"input": "*** Begin Patch"}
    assert chunks[-2]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_errors_have_openais_shape(status: int) -> None:
    prompt = script({"status": status, "error": "no luck"})
    reply = responses.answer(json.dumps({"input": prompt}).encode(), "r1")
    assert reply.status == status
    assert json.loads(b"".join(reply.frames))["error"]["message"] == "no luck"
