"""What a hub under test says: its answers over HTTP, and its events over a WebSocket."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

SECONDS = 120.0
"""How long anything may take before a test gives up on it."""

Json = Any


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        return json.loads(self.body)


class Refused(AssertionError):
    """The hub answered with an error where a test expected none."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"{answer.status}: {answer.body.decode(errors='replace')}")
        self.status = answer.status
        shape = answer.json if answer.body else {}
        self.code: str = shape.get("code", "")
        self.message: str = shape.get("message", "")
        self.hint: str = shape.get("hint", "")


class Reader:
    """One WebSocket; keeps every event in `events` and every live frame in `live`, as they came."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.events: list[Json] = []
        self.live: list[Json] = []

    def take(self, seconds: float = SECONDS) -> list[Json]:
        """The next frame's contents."""
        frames: list[Json] = json.loads(self.socket.recv(timeout=seconds))
        self.events += [frame for frame in frames if "seq" in frame]
        self.live += [frame for frame in frames if frame.get("live")]
        return frames

    def until(self, wanted: Callable[[Json], object], seconds: float = SECONDS) -> Json:
        """The first event or live frame, from now on, that is wanted."""
        deadline = time.monotonic() + seconds
        while True:
            for frame in self.take(max(0.0, deadline - time.monotonic())):
                if wanted(frame):
                    return frame

    def until_type(self, kind: str, session: str | None = None, seconds: float = SECONDS) -> Json:
        """The next event of that type, among those that came already or come."""
        fits = lambda f: f.get("type") == kind and session in (None, f["session"])  # noqa: E731
        return next(filter(fits, self.events), None) or self.until(fits, seconds)

    def until_seq(self, seq: int, seconds: float = SECONDS) -> None:
        if not self.events or self.events[-1]["seq"] < seq:
            self.until(lambda frame: frame.get("seq", 0) >= seq, seconds)

    def closed(self, seconds: float = SECONDS) -> int:
        """Reads on until the hub closes; its code."""
        deadline = time.monotonic() + seconds
        try:
            while True:
                self.take(max(0.0, deadline - time.monotonic()))
        except ConnectionClosed as error:
            return error.rcvd.code if error.rcvd else 1006

    @property
    def seqs(self) -> list[int]:
        return [event["seq"] for event in self.events]
