"""The log as text: nothing twice, nothing lost, nothing alive."""

from __future__ import annotations

from typing import Any

import msgspec

from manyhands.cli.transcript import Transcript


def text_of(*facts: dict[str, Any]) -> str:
    transcript = Transcript()
    return "".join(transcript.text(msgspec.Raw(msgspec.json.encode(fact))) for fact in facts)


def delta(offset: int, text: str, message: str = "m") -> dict[str, Any]:
    kind = {"live": True, "type": "text_delta", "session": "s"}
    return {**kind, "message": message, "offset": offset, "text": text}


def finished(text: str, message: str = "m") -> dict[str, Any]:
    return {"seq": 9, "type": "agent_message", "message": message, "text": text}


def test_a_message_seen_while_it_was_written_is_not_repeated() -> None:
    assert text_of(delta(0, "Hel"), delta(3, "lo"), finished("Hello")) == "agent: Hello\n"


def test_the_text_so_far_after_a_reconnect_is_laid_over_what_was_shown() -> None:
    shown = text_of(delta(0, "Hel"), delta(0, "Hello"), delta(5, " you"), finished("Hello you"))
    assert shown == "agent: Hello you\n"


def test_a_gap_in_the_live_text_is_closed_by_the_finished_message() -> None:
    assert text_of(delta(0, "Hel"), finished("Hello")) == "agent: Hello\n"


def test_a_fact_in_between_starts_its_own_line() -> None:
    fact = {"seq": 1, "type": "turn_finished", "at": "2026-01-31T08:15:30.125Z", "outcome": "done"}
    assert text_of(delta(0, "Hel"), fact) == "agent: Hel\n08:15:30 turn finished: outcome done\n"


def test_attention_shows_its_summary() -> None:
    item = {"id": "i", "summary": "May I run \x1b[1mls?"}
    fact = {
        "seq": 1,
        "type": "permission_requested",
        "at": "2026-01-31T08:15:30.125Z",
        "item": item,
    }
    assert text_of(fact) == "08:15:30 permission requested: May I run \\x1b[1mls?\n"


def test_an_event_of_a_newer_version_is_shown_as_it_is() -> None:
    fact = {"seq": 1, "type": "moon_landed", "at": "2026-01-31T08:15:30.125Z", "crew": [1, 2]}
    assert text_of(fact) == "08:15:30 moon landed: crew [1,2]\n"
