"""A server between an agent and its model, which keeps all that the model is asked."""

from __future__ import annotations

import base64
import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.support.agent_driver import Bench

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def requests(bench: Bench) -> Iterator[list[dict[str, Any]]]:
    """All that the model is asked, in its order."""
    with listening(bench) as seen:
        yield seen


@contextmanager
def listening(bench: Bench) -> Iterator[list[dict[str, Any]]]:
    """Whoever is started on the bench from now on is heard."""
    seen: list[dict[str, Any]] = []
    model = bench.url

    class Between(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            seen.append(json.loads(body))
            headers = {"content-type": "application/json"}
            onward = urllib.request.Request(model + self.path, data=body, headers=headers)
            try:
                answer: Any = urllib.request.urlopen(onward)
            except HTTPError as error:
                answer = error
            except OSError:
                return  # the model has gone, at the end of the tests
            with answer:
                self.send_response(answer.status)
                self.send_header("content-type", answer.headers["content-type"])
                self.end_headers()
                self._pass_on(answer)

        def _pass_on(self, answer: Any) -> None:
            """Piece by piece, as it comes; until the agent has heard enough."""
            with suppress(OSError):
                while piece := answer.read1(65536):
                    self.wfile.write(piece)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Between)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    bench.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
