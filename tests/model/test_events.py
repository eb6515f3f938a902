"""Events: their names stand still, they survive the wire, and strangers pass through."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.model import events as e
from tests.model.strategies import EVENT_TYPES, any_event, events, json_values

PROMISED = """
    session_created worktree_ready agent_started agent_message tool_called tool_finished
    plan_proposed permission_requested question_asked attention_resolved follow_up_added
    user_message turn_started turn_finished usage_recorded diff_changed checkpoint_made
    agent_exited session_failed session_archived session_restored
"""
NAMES = {str(kind.__struct_config__.tag): kind for kind in EVENT_TYPES}
NO_PAST_TENSE_ENDING = {
    "worktree_ready",
    "picture_taken",
    "job_held",
    "session_ready",
    "agent_thought",
    "session_read",
    "session_rewound",
    "user_message",
    "agent_message",
    "note_made",
    "review_sent",
    "verdict_given",
    "checkpoint_made",
    "agent_held",
    "commit_made",
    "car_built",
    "conversation_taken",
    "car_held",
    "car_left",
    "keeper_unreachable",
    "service_healthy",
    "service_unhealthy",
    "setup_output",
}


def test_every_promised_event_exists() -> None:
    assert set(PROMISED.split()) - set(NAMES) == set()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_wire_name_is_the_class_name_in_snake_case_and_past_tense(name: str) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name)
    assert "".join(word.title() for word in name.split("_")) == NAMES[name].__name__
    assert name.endswith("ed") or name in NO_PAST_TENSE_ENDING


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_an_event_survives_the_wire(kind: type[e.AnyEvent], data: st.DataObject) -> None:
    event = data.draw(events(kind))
    body = e.encode(event)
    assert e.decode(body) == event
    flat = msgspec.json.decode(body)
    assert flat["type"] == kind.__struct_config__.tag
    assert "seq" not in flat


@given(event=any_event, seq=st.integers(1, 2**53))
def test_a_number_is_put_in_front_without_decoding(event: e.AnyEvent, seq: int) -> None:
    wire = e.with_seq(seq, e.encode(event))
    assert wire.startswith(b'{"seq":')
    assert e.decode(wire) == msgspec.structs.replace(event, seq=seq)


@given(extra=st.dictionaries(st.text(min_size=1), json_values, max_size=4))
def test_an_event_of_an_unknown_type_is_kept_byte_for_byte(extra: dict[str, object]) -> None:
    known = {"type": "moon_landed", "session": "one", "at": "2026-01-31T08:15:30.125Z", "turn": 3}
    body = msgspec.json.encode({**extra, **known})
    event = e.decode(body)
    assert isinstance(event, e.Unknown)
    assert (event.type, event.session, event.at, event.turn) == tuple(known.values())
    assert e.encode(event) == body
    assert msgspec.json.decode(e.with_seq(7, body))["seq"] == 7


def test_fields_that_this_version_does_not_know_are_ignored() -> None:
    assert e.decode(b'{"type":"turn_started","turn":2,"mood":"fine"}') == e.TurnStarted(turn=2)


@pytest.mark.parametrize(
    "body",
    [
        b'{"type":"agent_message","text":7}',
        b'{"type":"mode_changed","mode":"reckless"}',
        b'{"session":"one"}',
        b"{}",
        b"[]",
        b"null",
        b'"turn_started"',
    ],
)
def test_a_broken_event_is_refused(body: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        e.decode(body)


def test_an_event_cut_off_in_the_middle_is_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        e.decode(b'{"type":"agent_message","te')
