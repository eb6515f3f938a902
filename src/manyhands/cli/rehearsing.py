"""The scripted model of a home: running whenever the agent `rehearsal` is to work."""

from __future__ import annotations

import socket
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from manyhands.client.http import converse, request_bytes
from manyhands.config import Home

AGENT = "rehearsal"


class RehearsalAddress(msgspec.Struct, frozen=True):
    url: str
    pid: int

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0


def rehearse_for(home: Home, agent: str) -> None:
    """Makes sure that the model is there if this agent needs it."""
    if agent == AGENT:
        ensure_rehearsal(home)


def ensure_rehearsal(home: Home) -> None:
    """A server that died is started on its old port: agents hold the address."""
    if _answers(home):
        return
    from filelock import FileLock

    with FileLock(home.locks / "rehearsal.lock", mode=0o600):
        if not _answers(home):
            _start(home)


def _start(home: Home) -> None:
    from manyhands.cli.background import port_is_free, start_server

    last = _known(home)
    port = last.port if last is not None and port_is_free(last.port) else 0
    words = ["--port", str(port), "--ready-file", str(home.rehearsal_file)]
    started = start_server(home, "manyhands.rehearsal", words)
    _process_file(home).write_bytes(msgspec.json.encode(started.identity))


def stop_rehearsal(home: Home) -> None:
    """Stops the very process that was started here, and nothing that merely has its pid."""
    from manyhands.process.identity import Identity
    from manyhands.process.stop import end_processes

    try:
        data = _process_file(home).read_bytes()
        identity = msgspec.json.decode(data, type=Identity)
    except (OSError, msgspec.DecodeError):
        return
    end_processes([identity])


def _process_file(home: Home) -> Path:
    return home.rehearsal_file.with_name("rehearsal-process.json")


def _known(home: Home) -> RehearsalAddress | None:
    try:
        return msgspec.json.decode(home.rehearsal_file.read_bytes(), type=RehearsalAddress)
    except (OSError, msgspec.DecodeError):
        return None


def _answers(home: Home) -> bool:
    known = _known(home)
    if known is None:
        return False
    try:
        with socket.create_connection(("127.0.0.1", known.port), timeout=5) as link:
            reply = converse(link, request_bytes(known.port, "GET", "/", {}))
    except OSError:
        return False
    return b'"rehearsal"' in reply.body
