"""Previews of two sessions of one hub, asked as a browser asks: by address, and by name in Host."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.driver import ACTOR, RunningHub

SECONDS = 30.0


class Seen:
    """One session's preview."""

    def __init__(self, hub: RunningHub, title: str) -> None:
        self.hub = hub
        self.session = hub.new("Show it", start=False, name=title)
        self.port = int(self.session["ports"]["web"])
        self.url = str(self.session["previews"]["web"])
        self.host = self.url.removeprefix("http://")
        self.way_in = int(self.host.rpartition(":")[2])

    def ask(
        self, path: str = "/", method: str = "GET", body: bytes | None = None, **headers: str
    ) -> tuple[http.client.HTTPResponse, bytes]:
        with self.connection() as connection:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, {"Host": self.host, **named})
            response = connection.getresponse()
            return response, response.read()

    @contextmanager
    def connection(self) -> Iterator[http.client.HTTPConnection]:
        connection = http.client.HTTPConnection("127.0.0.1", self.way_in, timeout=SECONDS)
        try:
            yield connection
        finally:
            connection.close()

    def say(self, raw: bytes) -> bytes:
        """Bytes as they are; all that comes until the end."""
        with socket.create_connection(("127.0.0.1", self.way_in), timeout=SECONDS) as sock:
            sock.sendall(raw.replace(b"HOST", self.host.encode()))
            sock.shutdown(socket.SHUT_WR) if not raw.endswith(b"\r\n\r\n") else None
            return b"".join(iter(lambda: sock.recv(65536), b""))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    running = RunningHub(tmp_path_factory.mktemp("previews"), agent=ACTOR)
    running.lease_own_ports()
    with running as hub:
        hub.make_repo()
        yield hub


@pytest.fixture(scope="module")
def one(running: RunningHub) -> Seen:
    return Seen(running, "One")


@pytest.fixture(scope="module")
def other(running: RunningHub) -> Seen:
    return Seen(running, "Other")
