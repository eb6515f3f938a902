from __future__ import annotations

import asyncio
import json
import signal
import socket
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

SECONDS = 120.0
"""On a busy machine an answer takes longer than the five that httpx would wait."""


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
    with httpx.stream("POST", f"{said['url']}/v1/messages", json=slow, timeout=SECONDS) as stream:
        assert next(stream.iter_lines()) == "event: message_start"
        assert json.loads(ready.read_text()) == said
        assert stat.S_IMODE(ready.stat().st_mode) == 0o600
        process.send_signal(signal.SIGTERM)
        process.wait(120)


def test_a_taken_port_is_refused_in_one_sentence(model_url: str) -> None:
    port = model_url.rpartition(":")[2]
    command = [sys.executable, "-m", "manyhands.rehearsal", "--port", port]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 1
    assert f"127.0.0.1:{port}" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("prefix", ["", "/v1"])
def test_every_interface_answers_with_and_without_version(model_url: str, prefix: str) -> None:
    hello = prompt({"text": "hello"})
    with httpx.Client(base_url=model_url + prefix, timeout=SECONDS) as model:
        assert model.post("/messages", json=hello).json()["content"][0]["text"] == "hello"
        assert model.post("/messages/count_tokens", json=hello).json()["input_tokens"] > 0
        chat = model.post("/chat/completions", json=hello).json()
        assert chat["choices"][0]["message"]["content"] == "hello"
        whole = model.post("/responses", json={"input": script({"text": "hello"})}).json()
        assert whole["output"][0]["content"][0]["text"] == "hello"
        assert model.get("/models").json()["data"]


def test_strange_requests_get_an_answer(model_url: str) -> None:
    with httpx.Client(base_url=model_url, timeout=SECONDS) as model:
        assert model.head("/api/hello").status_code == 200
        assert model.get("/").status_code == 200
        assert model.get("/elsewhere").status_code == 404
        assert model.post("/v1/messages", content=b"{").status_code == 400
        assert model.post("/v1/messages", json={"messages": 3}).status_code == 400


def test_delays_come_before_the_first_byte_and_between_deltas(model_url: str) -> None:
    step = {"text": "one two three", "delay": 0.3, "chunk_delay": 0.2}
    asked = prompt(step, stream=True)
    started = time.monotonic()
    with httpx.stream("POST", f"{model_url}/v1/messages", json=asked, timeout=SECONDS) as got:
        first = time.monotonic() - started
        pieces = [line for line in got.iter_lines() if "text_delta" in line]
        whole = time.monotonic() - started
    assert first >= 0.3
    assert len(pieces) == 3
    assert whole >= 0.65


async def test_many_slow_streams_run_side_by_side(model_url: str) -> None:
    step = {"text": "a b c d e", "chunk_delay": 0.1}
    all_begun = asyncio.Barrier(40)

    async def heard(client: httpx.AsyncClient) -> str:
        asked = prompt(step, stream=True)
        async with client.stream("POST", f"{model_url}/v1/messages", json=asked) as answer:
            await all_begun.wait()
            return (await answer.aread()).decode()

    async with httpx.AsyncClient(timeout=SECONDS) as client:
        answers = await asyncio.gather(*(heard(client) for _ in range(40)))
    assert all("message_stop" in answer for answer in answers)


def test_another_name_for_its_address_and_web_pages_are_refused(model_url: str) -> None:
    port = model_url.rpartition(":")[2]
    body = prompt({"text": "Hello."})
    for strange in (
        *({"Host": host} for host in ("evil.example", f"evil.example:{port}", "127.0.0.1:1")),
        *({"Origin": origin} for origin in ("http://evil.example", "null", model_url)),
    ):
        said = httpx.post(f"{model_url}/v1/messages", json=body, headers=strange, timeout=SECONDS)
        assert said.status_code == 403, strange
        assert said.json()["error"]["type"] == "permission_error"
    for name in (f"127.0.0.1:{port}", f"localhost:{port}"):
        said = httpx.post(
            f"{model_url}/v1/messages", json=body, headers={"Host": name}, timeout=SECONDS
        )
        assert said.status_code == 200


def test_a_request_without_bound_is_cut_off(model_url: str) -> None:
    """Whatever its length says: the server holds no more than it may."""
    port = int(model_url.rpartition(":")[2])
    part, sent = b"100000\r\n" + b"x" * 2**20 + b"\r\n", 0
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as link:
        head = (
            "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        link.sendall((head % port).encode())
        try:
            while sent < 1000:
                link.sendall(part)
                sent += 1
        except ConnectionError:  # it hung up
            pass
    assert 64 <= sent < 200
