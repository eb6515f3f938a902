"""Many clients at once: all are answered, and the hub stays there for the next."""

from __future__ import annotations

import json
import socket
import subprocess
from contextlib import ExitStack

from tests.support.console import PROGRAM
from tests.support.driver import SECONDS, RunningHub

CLIENTS, PROCESSES = 200, 16


def request(hub: RunningHub, method: str, path: str, body: bytes = b"") -> bytes:
    head = (
        f"{method} {path} HTTP/1.0\r\nHost: {hub.authority}\r\nAuthorization: Bearer {hub.token}"
        f"\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def answer(link: socket.socket) -> bytes:
    return b"".join(iter(lambda: link.recv(65536), b""))


def test_two_hundred_clients_at_once_are_all_answered(hub: RunningHub) -> None:
    """Half of them are held open until a session is archived, as `wait` is."""
    made = hub.new("Nothing yet", start=False)
    waiting = {"sessions": [made["id"]], "for": "archived"}
    wait = request(hub, "POST", "/api/wait", json.dumps(waiting).encode())
    reads = [request(hub, "GET", f"/api/{path}") for path in ("status", "sessions")]
    with ExitStack() as stack:
        links = [
            stack.enter_context(socket.create_connection(("127.0.0.1", hub.port), SECONDS))
            for _ in range(CLIENTS)
        ]
        held, reading = links[: CLIENTS // 2], links[CLIENTS // 2 :]
        for link in held:
            link.sendall(wait)
        people = [
            stack.enter_context(
                subprocess.Popen(
                    [PROGRAM, *words, "--json"],
                    env=hub.environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            )
            for words in [["status"], ["ls"], ["show", made["id"]], ["log", made["id"]]]
            for _ in range(PROCESSES // 4)
        ]
        for place, link in enumerate(reading):
            link.sendall(reads[place % len(reads)])
        assert all(b" 200 OK" in answer(link) for link in reading)
        for person in people:
            out, err = person.communicate(timeout=SECONDS)
            assert (person.returncode, err) == (0, b"")
            assert out
        hub.act(made["id"], "archive")
        assert all(b'"outcome":"reached"' in answer(link) for link in held)
