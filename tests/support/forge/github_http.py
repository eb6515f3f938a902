"""GitHub's state as it is spoken to: HTTP on the loopback."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.forge.github_description import Description
from tests.support.forge.github_server import API, PLAIN, GitHubServer, Reply


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: GitHubServer

    def log_message(self, *_: object) -> None:
        pass

    def _any(self) -> None:
        body = self._body()
        token = self._token()
        if self.path.startswith("/logs/"):
            self._send(Reply(200, self.hub.state.logs[int(self.path[6:])].encode(), PLAIN))
        elif self.path.startswith(API) or self.path == "/api/graphql":
            target = self.path.removeprefix(API).removeprefix("/api")
            given = json.loads(body) if body else None
            with self.hub.counted():
                reply = self.hub.answer(self.command, target, token, given)
            self._send_json(reply)
        else:
            self._send(self.hub.git(self.command, self.path, self.headers, token, body))

    do_GET = do_POST = do_PATCH = do_PUT = _any  # noqa: N815 - the standard library's names

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
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        if kind == "Basic":
            return base64.b64decode(value).decode().partition(":")[2]
        return value

    def _send_json(self, reply: Reply) -> None:
        if reply.status == 0:
            self.hub.released.wait()
            self.close_connection = True
            return
        data = b"" if reply.body is None else json.dumps(reply.body).encode()
        etag = f'"{hashlib.sha1(data).hexdigest()}"'
        if self.command == "GET" and reply.status == 200:
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
def github(root: Path, description: Description) -> Iterator[GitHubServer]:
    hub = GitHubServer(root, description)
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
