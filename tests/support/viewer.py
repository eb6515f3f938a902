"""A viewer of a terminal as the page is one: it draws what comes, acknowledges it, and types."""

from __future__ import annotations

import json
from typing import Self
from urllib.parse import quote, urlencode

from pyghostty.core import Terminal
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from manyhands.keeper.terminal.drawing import draw
from manyhands.keeper.terminal.history import Recording, SizedBytes
from tests.support.driver import SECONDS, Json, RunningHub


class Viewer:
    def __init__(
        self,
        hub: RunningHub,
        session: str,
        name: str,
        *,
        mode: str = "type",
        rows: int = 24,
        columns: int = 80,
        acks: bool = True,
    ) -> None:
        asked = urlencode({"mode": mode, "rows": rows, "columns": columns})
        path = f"/api/sessions/{session}/terminals/{quote(name, safe='')}/socket?{asked}"
        self._link = hub.socket(path, headers=hub.bearer)
        self.socket: ClientConnection
        self.acks = acks
        self.screen: Terminal | None = None
        self.parts: list[SizedBytes] = []
        self.words: list[Json] = []
        self.received = b""
        self._size = (rows, columns)

    def __enter__(self) -> Self:
        self.socket = self._link.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._link.__exit__(None, None, None)

    def take(self) -> None:
        """The next message, whatever it is."""
        message = self.socket.recv(timeout=SECONDS)
        if isinstance(message, bytes):
            self.received += message
            self.parts.append(SizedBytes(*self._size, message))
            assert self.screen is not None, "bytes before a screen"
            self.screen.feed(message)
            if self.acks:
                self.say(type="ack", bytes=len(message))
            return
        word = json.loads(message)
        self.words.append(word)
        if word["type"] in ("screen", "size"):
            self._size = (word["rows"], word["columns"])
            if word["type"] == "screen" or self.screen is None:
                self.screen = Terminal(word["columns"], word["rows"])
                self.parts = []
            else:
                self.screen.resize(word["columns"], word["rows"])

    def until(self, text: str) -> str:
        """Until it stands on the screen; all of it."""
        while text not in (shown := self.text):
            self.take()
        return shown

    def until_word(self, kind: str) -> Json:
        known = len(self.words)
        while not (found := [w for w in self.words[known:] if w["type"] == kind]):
            self.take()
        return found[-1]

    def until_closed(self) -> None:
        try:
            while True:
                self.take()
        except ConnectionClosed:
            pass

    @property
    def text(self) -> str:
        return self.screen.contents() if self.screen else ""

    @property
    def drawing(self) -> bytes:
        """The screen, cell by cell, with its modes and cursor."""
        size = SizedBytes(*self._size, b"")
        return draw(Recording(0, (*self.parts, size))).data

    def type(self, keys: str | bytes) -> None:
        self.socket.send(keys.encode() if isinstance(keys, str) else keys)

    def say(self, **word: object) -> None:
        self.socket.send(json.dumps(word))


def shown_to_another(hub: RunningHub, session: str, name: str) -> bytes:
    """What somebody who comes now sees."""
    with Viewer(hub, session, name, mode="watch") as viewer:
        while not viewer.parts:
            viewer.take()
        return viewer.drawing
