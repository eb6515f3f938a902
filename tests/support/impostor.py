"""A program that takes the hub's port while no hub runs, and notes all that pages send it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Impostor(ThreadingHTTPServer):
    """It says no to every token, asks for a proof, and pretends to be content with it."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.tokens: list[str] = []
        self.proofs: list[dict[str, Any]] = []
        self.proven = threading.Event()

    @classmethod
    @contextmanager
    def listening(cls, port: int) -> Iterator[Impostor]:
        with cls(port) as made:
            thread = threading.Thread(target=made.serve_forever, args=(0.05,))
            thread.start()
            try:
                yield made
            finally:
                made.shutdown()
                thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Impostor

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/api/exchange":
            self.server.tokens.append(self.headers["Authorization"].removeprefix("Bearer "))
            self._say(503 if self.server.proven.is_set() else 401, {})
        elif "signature" in body:
            self.server.proofs.append(body)
            self.server.proven.set()
            self._say(200, {"token": "of the impostor", "nonce": ""})
        else:
            self._say(200, {"token": "", "nonce": "thought up by the impostor"})

    def do_GET(self) -> None:
        self._say(404, {})

    def _say(self, status: int, what: dict[str, str]) -> None:
        body = json.dumps(what).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""
