"""A stranger's server on the loopback: it asks for credentials, and keeps whatever comes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Stranger:
    url: str
    heard: list[str] = field(default_factory=list)
    """Each request with all its headers."""


@contextmanager
def stranger() -> Iterator[Stranger]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def _any(self) -> None:
            found.heard.append(f"{self.command} {self.path}\n{self.headers}")
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="stranger"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_CONNECT = do_PUT = _any  # noqa: N815 - the standard library's names

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found = Stranger(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
