"""A loopback server in the hub's place: faults that a real hub shows only when it dies."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from manyhands.process.identity import identify

HALF = (0, None)
Answer = tuple[int, Any] | None
"""Status and JSON body; None hangs up without a word, `HALF` in the middle of one."""


class StandIn:
    def __init__(self) -> None:
        self.seen: list[tuple[str, str, dict[str, str], Any]] = []
        self.answers: list[Answer] = []
        self.then: Answer = (200, {})

    @classmethod
    @contextmanager
    def listening(cls, home: Path) -> Iterator[StandIn]:
        stand_in = cls()
        server = ThreadingHTTPServer(("127.0.0.1", 0), stand_in.handler())
        port = server.server_address[1]
        home.mkdir(mode=0o700)
        own = identify(os.getpid())
        assert own is not None
        about = {"url": f"http://127.0.0.1:{port}", "port": port, "pid": own.pid, "version": "0"}
        about["started"] = own.started
        (home / "hub.json").write_text(json.dumps(about), encoding="utf-8")
        (home / "token").write_text("secret\n", encoding="utf-8")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield stand_in
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
            (home / "hub.json").unlink(missing_ok=True)

    def handler(self) -> Callable[..., BaseHTTPRequestHandler]:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length)) if length else None
                headers = {name.lower(): value for name, value in self.headers.items()}
                stand_in.seen.append((self.command, self.path, headers, body))
                answer = stand_in.answers.pop(0) if stand_in.answers else stand_in.then
                if answer is None:
                    self.close_connection = True
                    return
                if answer == HALF:
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[")
                    self.close_connection = True
                    return
                data = json.dumps(answer[1]).encode()
                self.send_response(answer[0])
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *args: object) -> None:
                """Quiet."""

        return Handler
