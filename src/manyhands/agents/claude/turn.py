"""When a turn of Claude Code begins and ends.

A result ends one run of the model, not the turn: sub-agents may still work and wake it again.
The turn ends when the program reports `idle` after a result, or at the result itself where a
program is too old to report its state. Interrupted sub-agents leave no result behind at all.
"""

from __future__ import annotations

import re

from manyhands.agents.claude.sdk import ResultMessage
from manyhands.model.clock import instant
from manyhands.model.events import AnyEvent, TurnFinished, TurnStarted

TOO_MANY = 429
"""What a provider answers once a rate or usage limit is reached."""


class Turn:
    def __init__(self) -> None:
        self.running = False
        self._state = ""
        self._result: ResultMessage | None = None
        self._interrupted = False
        self._resets_at = 0

    def limited_until(self, moment: int | None) -> None:
        """The provider takes no more until then (in seconds since 1970), if it said when."""
        self._resets_at = moment or 0

    def begin(self) -> None:
        """A message is about to be sent."""
        if not self.running:
            self.running, self._result, self._interrupted = True, None, False

    def interrupt(self) -> None:
        """From here on it counts as interrupted, even where its last result came just then."""
        self._interrupted = self.running

    def activity(self) -> list[AnyEvent]:
        """The model is at work; if nobody asked for it, a turn begins by itself."""
        if self.running:
            return []
        self.begin()
        return [TurnStarted()]

    def state(self, state: str) -> list[AnyEvent]:
        self._state = state
        if state == "idle" and self.running and (self._result or self._interrupted):
            return self._end()
        return []

    def result(self, message: ResultMessage) -> list[AnyEvent]:
        self._result = message
        if self.running and self._state in ("", "idle"):
            return self._end()
        return []

    def _end(self) -> list[AnyEvent]:
        self.running = False
        if self._interrupted:
            return [TurnFinished(outcome="interrupted")]
        if self._result is not None and self._result.is_error:
            return [self._failed(self._result)]
        return [TurnFinished(outcome="done")]

    def _failed(self, message: ResultMessage) -> TurnFinished:
        error = failure(message)
        if message.api_error_status != TOO_MANY:
            return TurnFinished(outcome="failed", error=error)
        told = re.search(r"\|(\d{10})\b", message.result or "")
        moment = int(told[1]) if told else self._resets_at
        resets_at = instant(moment) if moment else ""
        return TurnFinished(outcome="failed", error=error, limited=True, resets_at=resets_at)


def failure(message: ResultMessage) -> str:
    """One sentence on what went wrong."""
    said = (message.result or "; ".join(message.errors or [])).strip()
    status = message.api_error_status
    if status is None:
        return said or f"the agent stopped: {message.terminal_reason or message.subtype}"
    plain = re.sub(rf"^.*?API Error:\s*(?:{status}\s*)?", "", said, flags=re.DOTALL).strip()
    return f"the model answered {status}: {plain or 'no reason was given'}"
