"""A forge as it is spoken to: HTTP on the loopback."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeVar

from tests.support.forge.server import PLAIN, ForgeServer, Reply

S = TypeVar("S", bound=ForgeServer)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: ForgeServer

    def log_message(self, *_: object) -> None:
        pass

    def _any(self) -> None:
        body = self._body()
        token = self._token()
        if (text := self.hub.plain(self.path)) is not None:
            self._send(Reply(200, text, PLAIN))
        elif (target := self.hub.api_target(self.path)) is not None:
            given = json.loads(body) if body else None
            with self.hub.counted():
                reply = self.hub.answer(self.command, target, token, given)
            self._send_json(reply)
        else:
            self._send(self.hub.git(self.command, self.path, self.headers, token, body))

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _any  # noqa: N815 - the standard library's names

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _token(self) -> str:
        if own := self.headers.get("PRIVATE-TOKEN"):
            return own
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        if kind == "Basic":
            return base64.b64decode(value).decode().partition(":")[2]
        return value

    def _send_json(self, reply: Reply) -> None:
        if reply.status == 0:
            self.hub.released.wait()
            self.close_connection = True
            return
        if isinstance(reply.body, bytes):
            self._send(Reply(reply.status, reply.body, (*reply.headers, *PLAIN)))
            return
        data = b"" if reply.body is None else json.dumps(reply.body).encode()
        etag = f'"{hashlib.sha1(data).hexdigest()}"'
        if self.command == "GET" and reply.status == 200 and self.hub.etags:
            if self.headers.get("If-None-Match") == etag:
                self.hub.asked.append(("304", self.path, 304))
                self._send(Reply(304, b"", (("ETag", etag),)))
                return
            reply = Reply(200, reply.body, (*reply.headers, ("ETag", etag)))
        kind = ("Content-Type", "application/json; charset=utf-8")
        self._send(Reply(reply.status, data, (*reply.headers, kind)))

    def _send(self, reply: Reply) -> None:
        if reply.status == 0:
            self.hub.released.wait()
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body or b"")))
        self.end_headers()
        self.wfile.write(reply.body or b"")


@contextmanager
def served(hub: S) -> Iterator[S]:
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.released.set()
        server.shutdown()
        server.server_close()
