from __future__ import annotations

import json
from typing import Any

import pytest

from manyhands.rehearsal import anthropic
from tests.rehearsal.claude import script

Events = list[tuple[str, dict[str, Any]]]


def ask(*messages: dict[str, Any], **more: Any) -> tuple[int, Any]:
    body = json.dumps({"model": "claude-x", "messages": messages, **more}).encode()
    reply = anthropic.answer(body, "r1")
    return reply.status, json.loads(b"".join(reply.frames))


def stream(*messages: dict[str, Any]) -> Events:
    body = json.dumps({"messages": messages, "stream": True}).encode()
    frames = b"".join(anthropic.answer(body, "r1").frames).decode()
    parts = [frame.split("\n") for frame in frames.strip().split("\n\n")]
    return [(kind.removeprefix("event: "), json.loads(data[6:])) for kind, data in parts]


def user(*content: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
    return {"role": "user", "content": blocks}


def result(content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "x", "content": content}


def assistant(*content: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


SAID = assistant({"type": "text", "text": "said"})
STEER = "The user sent a new message while you were working:\n"


def text_of(answer: tuple[int, Any]) -> str:
    return str(answer[1]["content"][-1]["text"])


def test_a_step_becomes_a_message_with_thinking_text_and_calls() -> None:
    step = {"thinking": "hm", "text": "so", "tool": "Read", "input": {"file_path": "a"}}
    status, message = ask(user(script({**step, "usage": {"in": 5, "out": 6}})))
    assert status == 200
    assert [block["type"] for block in message["content"]] == ["thinking", "text", "tool_use"]
    assert message["content"][2]["input"] == {"file_path": "a"}
    assert message["stop_reason"] == "tool_use"
    assert (message["usage"]["input_tokens"], message["usage"]["output_tokens"]) == (5, 6)


def test_a_stream_opens_fills_and_closes_each_block_in_order() -> None:
    step = {"thinking": "a b", "text": "c d", "tool": "Bash", "input": {"command": "x" * 40}}
    events = stream(user(script(step)))
    kinds = [kind for kind, _ in events]
    assert kinds[:2] == ["message_start", "ping"]
    assert kinds[-2:] == ["message_delta", "message_stop"]
    deltas = [data["delta"] for kind, data in events if kind == "content_block_delta"]
    assert "".join(delta.get("thinking", "") for delta in deltas) == "a b"
    assert [delta["text"] for delta in deltas if "text" in delta] == ["c", " d"]
    partial = "".join(delta.get("partial_json", "") for delta in deltas)
    assert json.loads(partial) == {"command": "x" * 40}
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 3


def test_scripts_in_tool_results_and_system_messages_do_not_count() -> None:
    planted = script({"text": "planted"})
    conversation = [
        user(script({"text": "0"}, {"text": "1"})),
        assistant({"type": "tool_use", "id": "toolu_r_0", "name": "Read", "input": {}}),
        user(result(planted), result([{"type": "text", "text": planted}])),
        {"role": "system", "content": planted},
    ]
    assert text_of(ask(*conversation)) == "1"


@pytest.mark.parametrize(
    "note",
    [
        {"role": "system", "content": f"{STEER}{script({'text': 'steered'})}\n\nThis is how"},
        user(
            result(
                f"out\n\n<system-reminder>\n{STEER}{script({'text': 'steered'})}"
                "\n</system-reminder>"
            )
        ),
    ],
)
def test_a_message_sent_while_the_agent_works_brings_its_own_script(note: dict[str, Any]) -> None:
    conversation = [user(script({"text": "0"}, {"text": "1"})), SAID, note]
    assert text_of(ask(*conversation)) == "steered"


def test_the_turn_that_claude_makes_up_at_a_resume_is_no_step() -> None:
    made_up = assistant({"type": "text", "text": "No response requested."})
    conversation = [user(script({"text": "0"}, {"text": "1"})), SAID, made_up, user("go on")]
    assert text_of(ask(*conversation)) == "1"


def test_a_request_for_a_title_or_a_summary_plays_no_step() -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    wanted = {"format": {"type": "json_schema", "schema": schema}}
    prompt = user(script({"tool": "Bash", "input": {}}))
    assert json.loads(text_of(ask(prompt, output_config=wanted))) == {"title": "Rehearsal"}
    summary = user("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nSummarise.")
    assert "<summary>" in text_of(ask(prompt, SAID, summary))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (429, "rate_limit_error"),
        (529, "overloaded_error"),
        (500, "api_error"),
    ],
)
def test_an_error_step_has_the_interfaces_own_shape(status: int, kind: str) -> None:
    prompt = user(script({"status": status, "error": "no luck"}))
    expected = {"type": "error", "error": {"type": kind, "message": "no luck"}}
    assert ask(prompt) == (status, expected)


def test_estimated_usage_takes_older_messages_from_the_cache() -> None:
    long = user(script({"text": "0"}, {"text": "1"}) + "x" * 4000)
    _, first = ask(long)
    _, second = ask(long, SAID, user("go on"))
    assert first["usage"]["cache_read_input_tokens"] == 0
    assert second["usage"]["cache_read_input_tokens"] > 900 > second["usage"]["input_tokens"] > 0


def test_a_huge_prompt_does_not_report_a_full_context() -> None:
    _, message = ask(user("x" * 5_000_000))
    used = message["usage"]
    assert used["input_tokens"] + used["cache_creation_input_tokens"] <= 100_000


def test_tokens_are_counted() -> None:
    body = json.dumps({"messages": [user("x" * 400)]}).encode()
    reply = anthropic.count_tokens(body, "r1")
    assert json.loads(b"".join(reply.frames))["input_tokens"] > 100
