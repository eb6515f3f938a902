"""The one door into the log: whatever is recorded goes in without the secrets that it holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from manyhands.model import events as e
from manyhands.model.redaction import Redactor

Keep = Callable[[e.Fact, e.Fact], None]
"""Is told of an event as it came and as it is recorded, where the two differ."""


class Door:
    """Used by the writer's thread alone, `keep` too."""

    def __init__(self, redactor: Redactor | None = None) -> None:
        self.redactor = redactor or Redactor()
        self.keep: Keep = lambda raw, clean: None

    def admit(self, events: Sequence[e.Fact]) -> tuple[list[e.Fact], list[bytes]]:
        """The events as they may be known from now on, and their bodies."""
        if not events:
            return [], []
        given = [e.encode(event) for event in events]
        bodies = self.redactor.bodies(given)
        admitted = list(events)
        for n, (was, body) in enumerate(zip(given, bodies, strict=True)):
            if body is not was:
                admitted[n] = e.decode(body)
                self.keep(events[n], admitted[n])
        return admitted, bodies

    def answer(self, result: object) -> bytes:
        """What whoever asked is told, in the form in which it is kept for those who ask again."""
        body = msgspec.json.encode(result)
        clean: Any = self.redactor.value(msgspec.json.decode(body))
        return body if clean == msgspec.json.decode(body) else msgspec.json.encode(clean)
