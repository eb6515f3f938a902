"""The log as a person reads it: one line per fact, agent text as it is written.

A message that was shown while it was being written is not shown again when it is finished;
`_open` is the message that the cursor stands behind, `_seen` how much of each was shown.
"""

from __future__ import annotations

from typing import Any

import msgspec

from manyhands.cli.asker import asker_text
from manyhands.cli.terminal import inert, styled

_QUIET = {
    *("step_started", "step_finished", "message_delivered", "answer_delivered", "session_read"),
    *("job_started", "job_step_started", "job_step_finished", "job_reported", "job_paused"),
    *("job_cancel_asked", "job_ended"),
    *("commands_listed", "context_measured", "permission_decided"),
}
_ENVELOPE = {"seq", "session", "type", "at", "turn", "conversation", "asked_by"}
_LONGEST = 400


class Transcript:
    def __init__(self) -> None:
        self._open = ""
        self._seen: dict[str, int] = {}

    def text(self, frame: msgspec.Raw) -> str:
        """What to print for the next event or live frame, made inert."""
        fact: dict[str, Any] = msgspec.json.decode(frame)
        if fact.get("live"):
            return self._delta(fact) if fact.get("type") == "text_delta" else ""
        if fact.get("type") in _QUIET:
            return ""
        if fact.get("type") in ("agent_message", "agent_thought"):
            return self._finished(fact)
        return self._close() + _line(fact)

    def _delta(self, fact: dict[str, Any]) -> str:
        message = fact["message"]
        if message in self._seen and message != self._open:
            return ""
        shown = self._seen.get(message, 0)
        fresh = str(fact["text"])[max(0, shown - fact["offset"]) :]
        self._seen[message] = max(shown, fact["offset"] + len(fact["text"]))
        head = "" if message == self._open else self._close() + _speaker(fact.get("thinking"))
        self._open = message
        return head + inert(fresh, lines=True)

    def _finished(self, fact: dict[str, Any]) -> str:
        message, text = fact["message"], str(fact["text"])
        shown = self._seen.pop(message, 0)
        if message == self._open:
            self._open = ""
            return inert(text[shown:], lines=True) + "\n"
        thinking = fact["type"] == "agent_thought"
        return self._close() + _speaker(thinking) + inert(text, lines=True) + "\n"

    def _close(self) -> str:
        """Ends the line of a message that something else interrupts."""
        was_open, self._open = self._open, ""
        return "\n" if was_open else ""


def _speaker(thinking: object) -> str:
    return styled("thinking: ", dim=True) if thinking else styled("agent: ", bold=True)


def _line(fact: dict[str, Any]) -> str:
    at = inert(str(fact.get("at", "")))[11:19]
    name = str(fact.get("type", "")).replace("_", " ")
    detail = _detail(fact)
    asker = asker_text(fact.get("asked_by"))
    by = styled(f" {asker}", dim=True) if asker else ""
    return f"{styled(at, dim=True)} {inert(name)}{': ' if detail else ''}{detail}{by}\n"


def _detail(fact: dict[str, Any]) -> str:
    item = fact.get("item")
    if isinstance(item, dict):
        return inert(str(item.get("summary", "")))
    if "tool" in fact:
        what = fact.get("input") or fact.get("output") or ""
        return _short(f"{fact['tool']} {_plain(what)}")
    if "text" in fact:
        return inert(str(fact["text"]), lines=True)
    rest = {k: v for k, v in fact.items() if k not in _ENVELOPE and v not in ("", None)}
    return _short(", ".join(f"{k} {_plain(v)}" for k, v in rest.items()))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _short(text: str) -> str:
    shown = inert(text)
    return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "…"
