"""Plays keepers whose agents talk: words on their way, finished messages, and tool calls."""

from __future__ import annotations

import asyncio
import json

import msgspec

from bench.ingest_keepers import Keeper, main
from manyhands.model import wire
from manyhands.model.ids import MessageId
from manyhands.model.live import TextDelta

WORDS = "and then the **limit** is read from `settings.py`, "
DELTAS_IN_A_MESSAGE = 60


class Speaker(Keeper):
    """Says a few words each time; a message is finished after so many of them."""

    _said = 0
    _message = 0
    _deltas = 0

    def send_due(self, until: float, at: str) -> None:
        while self._due <= until:
            self._due += self._interval
            self._speak(at)

    def _speak(self, at: str) -> None:
        if self._deltas == 0 and self._message == 0:
            self._tell(at, type="turn_started")
        self.frames += 1
        delta = TextDelta(
            session=self.session,
            turn=1,
            message=MessageId(f"m{self._message}"),
            offset=self._said,
            text=WORDS,
        )
        self._send(wire.Live(frames=(delta,)))
        self._said += len(WORDS)
        self._deltas += 1
        if self._deltas % DELTAS_IN_A_MESSAGE == 0:
            self._finish(at)

    def _finish(self, at: str) -> None:
        message, call = f"m{self._message}", f"c{self._message}"
        text = WORDS * DELTAS_IN_A_MESSAGE
        read = {"file_path": "settings.py"}
        self._tell(at, type="agent_message", message=message, text=text)
        self._tell(at, type="tool_called", call=call, tool="Read", input=read)
        self._tell(at, type="tool_finished", call=call, tool="Read", output="LIMIT = 120\n")
        self._message += 1
        self._said = 0

    def _tell(self, at: str, **fields: object) -> None:
        self.sent += 1
        self.drained.clear()
        body = {"session": self.session, "at": at, "turn": 1, **fields}
        event = msgspec.Raw(json.dumps(body).encode())
        self._send(wire.Items(first=self.sent, events=(event,)))


if __name__ == "__main__":
    asyncio.run(main(Speaker))
