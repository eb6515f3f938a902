"""Web apps as sessions run them, in threads of the test: each answers what its path asks for."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECONDS = 30.0
BIG = 64 * 1024


class App(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path, list(self.headers.items())))
        if self.path.startswith("/big/"):
            self._big(int(self.path.rpartition("/")[2]))
        elif self.path == "/chunked":
            self._chunked([b"one", b"two" * 10_000, b"three"])
        elif self.path == "/until-end":
            self._say(b"to the end", length=False)
        elif self.path == "/events":
            self._events()
        else:
            own = f"{self.server.name} {self.path}".encode()
            status, body = self.server.pages.get(self.path, (200, own))
            self._say(body, status=status)

    do_HEAD = do_OPTIONS = do_GET  # noqa: N815

    def do_POST(self) -> None:
        self.server.asked.append((self.command, self.path, list(self.headers.items())))
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline() or b"-1", 16):
                if size < 0:
                    self.close_connection = True
                    return  # whoever sends it was cut off
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._say(body)

    def _say(self, body: bytes, *, length: bool = True, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        for name, value in self.server.headers:
            self.send_header(name, value)
        if length:
            self.send_header("Content-Length", str(len(body)))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _big(self, size: int) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        block = bytes(BIG)
        with suppress(OSError):
            while size > 0:
                self.wfile.write(block[:size])
                self.server.sent += min(size, BIG)
                size -= BIG

    def _chunked(self, pieces: list[bytes]) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in [*pieces, b""]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def _events(self) -> None:
        """One event for each time that the test says so."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        number = 0
        while self.server.next_event.acquire(timeout=SECONDS) and not self.server.over:
            number += 1
            with suppress(OSError):
                self.wfile.write(b"data: %d\n\n" % number)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


class RunningApp(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, name: str, port: int, host: str = "127.0.0.1") -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.name = name
        self.asked: list[tuple[str, str, list[tuple[str, str]]]] = []
        self.pages: dict[str, tuple[int, bytes]] = {}
        self.headers: list[tuple[str, str]] = []
        self.next_event = threading.Semaphore(0)
        self.over = False
        self.sent = 0
        self._held: set[socket.socket] = set()
        super().__init__((host, port), App)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._held.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._held.discard(request)
        super().shutdown_request(request)

    def leave(self) -> None:
        """As a process that ends does: no connection stays."""
        for held in list(self._held):
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)


@contextmanager
def app(name: str, port: int, host: str = "127.0.0.1") -> Iterator[RunningApp]:
    with RunningApp(name, port, host) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield running
        finally:
            running.over = True
            running.next_event.release()
            running.shutdown()
            running.leave()
            thread.join()


@contextmanager
def raw_app(port: int, serve: Callable[[socket.socket], None]) -> Iterator[None]:
    """One connection after the other is given to `serve`, whatever it is that it says."""
    with socket.create_server(("127.0.0.1", port)) as listener:

        def run() -> None:
            while True:
                try:
                    sock, _ = listener.accept()
                except OSError:
                    return
                with sock, suppress(OSError):
                    sock.settimeout(SECONDS)
                    serve(sock)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            thread.join()
