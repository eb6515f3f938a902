from __future__ import annotations

import asyncio
import json
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.rehearsal.claude import script


def prompt(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": script(*steps)}], **more}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    ready = tmp_path / "ready.json"
    command = [sys.executable, "-m", "manyhands.rehearsal", "--ready-file", str(ready)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process, ready
        process.kill()


def announced(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    line: dict[str, Any] = json.loads(process.stdout.readline())
    return line


def test_it_says_where_it_listens_and_term_ends_it_in_mid_stream(
    server: tuple[subprocess.Popen[str], Path],
) -> None:
    process, ready = server
    said = announced(process)
    assert said["pid"] == process.pid
    assert said["url"].startswith("http://127.0.0.1:")
    slow = prompt({"text": "one two three", "chunk_delay": 600}, stream=True)
    with httpx.stream("POST", f"{said['url']}/v1/messages", json=slow) as stream:
        assert next(stream.iter_lines()) == "event: message_start"
        assert json.loads(ready.read_text()) == said
        assert stat.S_IMODE(ready.stat().st_mode) == 0o600
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        assert time.monotonic() - started < 50


def test_a_taken_port_is_refused_in_one_sentence(model_url: str) -> None:
    port = model_url.rpartition(":")[2]
    command = [sys.executable, "-m", "manyhands.rehearsal", "--port", port]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert ended.returncode == 1
    assert f"127.0.0.1:{port}" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("prefix", ["", "/v1"])
def test_every_interface_answers_with_and_without_version(model_url: str, prefix: str) -> None:
    base = model_url + prefix
    hello = prompt({"text": "hello"})
    assert httpx.post(f"{base}/messages", json=hello).json()["content"][0]["text"] == "hello"
    assert httpx.post(f"{base}/messages/count_tokens", json=hello).json()["input_tokens"] > 0
    chat = httpx.post(f"{base}/chat/completions", json=hello).json()
    assert chat["choices"][0]["message"]["content"] == "hello"
    whole = httpx.post(f"{base}/responses", json={"input": script({"text": "hello"})}).json()
    assert whole["output"][0]["content"][0]["text"] == "hello"
    assert httpx.get(f"{base}/models").json()["data"]


def test_strange_requests_get_an_answer(model_url: str) -> None:
    assert httpx.head(f"{model_url}/api/hello").status_code == 200
    assert httpx.get(model_url).status_code == 200
    assert httpx.get(f"{model_url}/elsewhere").status_code == 404
    assert httpx.post(f"{model_url}/v1/messages", content=b"{").status_code == 400
    assert httpx.post(f"{model_url}/v1/messages", json={"messages": 3}).status_code == 400


def test_delays_come_before_the_first_byte_and_between_deltas(model_url: str) -> None:
    step = {"text": "one two three", "delay": 0.3, "chunk_delay": 0.2}
    started = time.monotonic()
    with httpx.stream("POST", f"{model_url}/v1/messages", json=prompt(step, stream=True)) as got:
        first = time.monotonic() - started
        pieces = [line for line in got.iter_lines() if "text_delta" in line]
        whole = time.monotonic() - started
    assert first >= 0.3
    assert len(pieces) == 3
    assert whole >= 0.65


async def test_many_slow_streams_run_side_by_side(model_url: str) -> None:
    step = {"text": "a b c d e", "delay": 0.5, "chunk_delay": 0.1}
    async with httpx.AsyncClient(timeout=30) as client:
        url = f"{model_url}/v1/messages"
        asked = [client.post(url, json=prompt(step, stream=True)) for _ in range(40)]
        started = time.monotonic()
        answers = await asyncio.gather(*asked)
    assert all("message_stop" in answer.text for answer in answers)
    # One after the other they would take 40 seconds.
    assert time.monotonic() - started < 35
