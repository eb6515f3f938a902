"""A tracker on the loopback: JSON over HTTP, faults on demand, and a list of what was asked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

SILENCE = 0


@dataclass
class TrackerFault:
    """The next `times` requests that fit fare badly, before or after they took effect."""

    pattern: str
    """Found in the method, the target and the body."""
    status: int
    after: bool = False
    times: int = 1
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None


@dataclass
class Answered:
    status: int
    body: Any = None


class LoopbackTracker:
    token = ""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.faults: list[TrackerFault] = []
        self.released = threading.Event()
        self.lock = threading.RLock()

    def carry_out(self, method: str, target: str, body: Any) -> Answered:
        raise NotImplementedError

    def count(self, pattern: str) -> int:
        return sum(bool(re.search(pattern, one)) for one in self.asked)

    def answer(
        self, method: str, target: str, authorisation: str, body: Any
    ) -> tuple[Answered, dict[str, str]]:
        said = f"{method} {target} {json.dumps(body)}"
        with self.lock:
            self.asked.append(said)
            fault = next((f for f in self.faults if f.times and re.search(f.pattern, said)), None)
            if fault:
                fault.times -= 1
            if fault is None or fault.after:
                known = authorisation == self.token
                reply = self.carry_out(method, target, body) if known else self.unknown()
            if fault:
                return Answered(fault.status, fault.body), fault.headers
            return reply, {}

    def unknown(self) -> Answered:
        return Answered(401, None)


T = TypeVar("T", bound=LoopbackTracker)


@contextmanager
def running(tracker: T) -> Iterator[T]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def _any(self) -> None:
            given = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.loads(given) if given else None
            authorisation = self.headers.get("Authorization", "")
            reply, headers = tracker.answer(self.command, self.path, authorisation, body)
            if reply.status == SILENCE:
                tracker.released.wait()
                self.close_connection = True
                return
            data = b"" if reply.body is None else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = _any  # noqa: N815 - the standard library's names

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    tracker.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield tracker
    finally:
        tracker.released.set()
        server.shutdown()
        server.server_close()
