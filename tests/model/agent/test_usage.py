"""Money, tokens and time from events alone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from manyhands.model import events as e
from manyhands.model.agent.conversation import Conversation
from manyhands.model.agent.usage import Cell, Usage
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.clock import later, local_days
from manyhands.model.ids import MAIN, AttentionId, ConversationId, SessionId
from manyhands.model.session.session import Session

S = SessionId("s")
ITEM = AttentionId("i")
AGENT = Conversation(id=MAIN, agent="claude", model="opus")
SESSIONS = {S: Session(id=S, title="Tidy", repo="/r", conversations={MAIN: AGENT})}


@pytest.fixture(autouse=True)
def _days_of_new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(os.environ, "TZ", "EST5EDT,M3.2.0,M11.1.0")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(clock: str, day: str = "2026-06-10") -> str:
    return f"{day}T{clock}.000Z"


def asked() -> Attention:
    return Attention(
        id=ITEM,
        session=S,
        conversation=ConversationId("main"),
        kind="permission",
        summary="",
        detail={},
        options=(),
        raised_at=at("12:00:00"),
    )


def cells(*facts: e.AnyEvent, now: str = "2026-06-10T23:00:00.000Z") -> list[Cell]:
    fold = Usage(SESSIONS)
    fold.take(facts)
    return fold.cells(now)


def test_a_turn_works_and_waits_and_costs() -> None:
    (cell,) = cells(
        e.TurnStarted(session=S, at=at("12:00:00"), turn=1),
        e.PermissionRequested(session=S, at=at("12:00:10"), item=asked()),
        e.AttentionResolved(session=S, at=at("12:01:10"), item=ITEM, resolution=Resolution()),
        e.UsageRecorded(session=S, at=at("12:01:30"), tokens_in=7, tokens_out=3, cost_usd=0.25),
        e.TurnFinished(session=S, at=at("12:01:30"), turn=1),
    )
    assert cell == Cell(
        day="2026-06-10",
        session=S,
        title="Tidy",
        repo="/r",
        agent="claude",
        model="opus",
        turns=1,
        tokens_in=7,
        tokens_out=3,
        cost_usd=0.25,
        working_seconds=30,
        waiting_seconds=60,
    )


def test_each_model_has_its_own_cell() -> None:
    found = cells(
        e.UsageRecorded(session=S, at=at("12:00:00"), model="haiku", cost_usd=1),
        e.UsageRecorded(session=S, at=at("12:00:01"), model="opus", cost_usd=2),
        e.UsageRecorded(session=S, at=at("12:00:02"), model="haiku", cost_usd=4),
    )
    assert {cell.model: cell.cost_usd for cell in found} == {"haiku": 5, "opus": 2}


def test_a_night_of_waiting_falls_to_both_days() -> None:
    found = cells(
        e.TurnStarted(session=S, at="2026-06-11T03:00:00.000Z", turn=1),
        e.PermissionRequested(session=S, at="2026-06-11T03:00:00.000Z", item=asked()),
        now="2026-06-11T06:00:00.000Z",
    )
    assert {cell.day: cell.waiting_seconds for cell in found} == {
        "2026-06-10": 3600,
        "2026-06-11": 7200,
    }


def test_a_day_on_which_the_clocks_change_has_its_own_length() -> None:
    spans = list(local_days("2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"))
    assert spans == [("2026-03-08", 23 * 3600)]


def test_an_agent_that_died_works_no_longer() -> None:
    (cell,) = cells(
        e.TurnStarted(session=S, at=at("12:00:00"), turn=1),
        e.AgentExited(session=S, at=at("12:00:05"), returncode=-9),
        e.TurnStarted(session=S, at=at("13:00:00"), turn=1),
        e.TurnFinished(session=S, at=at("13:00:05"), turn=1),
    )
    assert cell.working_seconds == 10


def test_an_archived_session_waits_for_nobody() -> None:
    (cell,) = cells(
        e.PermissionRequested(session=S, at=at("12:00:00"), item=asked()),
        e.SessionArchived(session=S, at=at("12:00:30")),
    )
    assert cell.waiting_seconds == 30


@pytest.mark.parametrize("jump", [8 * 3600, -3 * 3600])
def test_time_that_the_clock_only_claims_is_not_worked(jump: int) -> None:
    woken = later(at("12:00:10"), jump)
    found = cells(
        e.TurnStarted(session=S, at=at("12:00:00"), turn=1),
        e.ClockJumped(session=S, at=woken, seconds=jump),
        e.TurnFinished(session=S, at=later(woken, 5), turn=1),
        now=later(woken, 5),
    )
    assert sum(cell.working_seconds for cell in found) == 15
