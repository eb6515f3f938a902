"""The fold is total: any events in any order give a session that can be stored and shown."""

from __future__ import annotations

from typing import get_args

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from manyhands.hub.core.views import repo_view, session_view
from manyhands.model import events as e
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Resolution
from manyhands.model.ids import AttentionId, MessageId, SessionId
from manyhands.model.session import session as module
from manyhands.model.session.session import Concern, Inconsequential, Session, Status, fold
from manyhands.model.state import State
from tests.model.strategies import EVENT_TYPES, LEGAL, any_event, sessions

ONE = SessionId("one")
STATUSES = set(get_args(Status))
logs = st.lists(any_event, max_size=40)
cuts = st.integers(0, 40)
"""Where a log is cut in two; past its end, nothing comes after."""


def folded(*events: e.AnyEvent) -> Session:
    session = Session(id=ONE)
    for event in events:
        session = fold(session, event)
    return session


@given(logs)
def test_any_log_gives_a_session_with_one_of_the_eight_statuses(log: list[e.AnyEvent]) -> None:
    state = State()
    for event in log:
        state.apply(event)
    for session in state.sessions.values():
        assert session.status in STATUSES
        assert session_view(session).status == session.status
    for repo in state.repos.values():
        assert repo_view(repo).path == repo.path


@given(logs)
def test_a_folded_session_survives_as_a_document(log: list[e.AnyEvent]) -> None:
    session = folded(*log)
    assert msgspec.json.decode(msgspec.json.encode(session), type=Session) == session


def test_a_cost_that_cannot_be_leaves_a_sum_that_can_be_kept() -> None:
    absurd = e.UsageRecorded(session=SessionId("one"), cost_usd=1.7e308, estimated=True)
    session = folded(absurd, absurd)
    assert msgspec.json.decode(msgspec.json.encode(session), type=Session) == session


@given(sessions)
def test_any_session_survives_as_a_document(session: Session) -> None:
    assert msgspec.json.decode(msgspec.json.encode(session), type=Session) == session


@given(logs, cuts)
def test_folding_in_two_parts_is_folding_at_once(log: list[e.AnyEvent], cut: int) -> None:
    whole, parts = State(), State()
    for event in log[:cut]:
        parts.apply(event)
    layer = parts.layer()
    for event in log[cut:]:
        layer.apply(event)
    layer.keep()
    for event in log:
        whole.apply(event)
    assert parts == whole


@given(logs, cuts)
def test_a_layer_that_is_dropped_leaves_no_trace(log: list[e.AnyEvent], cut: int) -> None:
    state = State()
    for event in log[:cut]:
        state.apply(event)
    before = (dict(state.sessions), dict(state.repos))
    layer = state.layer()
    for event in log[cut:]:
        layer.apply(event)
    assert layer.all_sessions() == {**state.sessions, **layer.sessions}
    assert (state.sessions, state.repos) == before


def test_every_event_concerns_a_part_or_is_said_to_concern_none() -> None:
    concerns = [value for value in vars(module).values() if isinstance(value, Concern)]
    consequential = {kind for concern in concerns for kind in concern.types}
    rest = set(get_args(Inconsequential))
    assert consequential | rest == set(EVENT_TYPES)
    assert not consequential & rest


def test_an_unknown_event_changes_nothing() -> None:
    state = State()
    state.apply(e.decode(b'{"type":"moon_landed","session":"one"}'))
    assert state == State()


def test_every_status_has_its_successors() -> None:
    assert set(LEGAL) == STATUSES
    for status, successors in LEGAL.items():
        assert successors <= STATUSES - {status}


def test_only_a_person_looking_makes_unread_read_and_it_is_no_change() -> None:
    finished = folded(e.TurnFinished(at="2026-01-01"))
    assert finished.inbox.unread
    seen = fold(finished, e.SessionRead(at="2026-02-02"))
    assert (seen.inbox.unread, seen.updated_at) == (False, "2026-01-01")


def test_a_clock_that_jumps_back_does_not_take_the_time_of_change_back() -> None:
    assert folded(e.TurnStarted(at="2026-02"), e.TurnFinished(at="2026-01")).updated_at == "2026-02"


def test_a_message_recorded_twice_waits_once() -> None:
    message = e.UserMessage(message=MessageId("m"), text="hi")
    assert len(folded(message, message).main.undelivered) == 1


def test_a_follow_up_that_is_sent_is_no_follow_up_any_more() -> None:
    session = folded(
        e.FollowUpAdded(message=MessageId("a"), text="first"),
        e.FollowUpAdded(message=MessageId("b"), text="second"),
        e.UserMessage(message=MessageId("a"), text="first"),
    )
    assert [m.id for m in session.main.follow_ups] == ["b"]
    assert [m.id for m in session.main.undelivered] == ["a"]


def test_the_exit_of_an_earlier_keeper_says_nothing_about_the_present_one() -> None:
    session = folded(
        e.KeeperStarted(epoch=1), e.KeeperStarted(epoch=2), e.KeeperExited(epoch=1, reason="late")
    )
    assert (session.keeper.state, session.keeper.epoch) == ("live", 2)


def test_settling_what_is_not_open_changes_nothing() -> None:
    event = e.AttentionResolved(item=AttentionId("x"), resolution=Resolution(("allow",)))
    assert folded(event) == Session(id=ONE)


def test_repositories_fold_apart_from_sessions() -> None:
    state = State()
    for event in (
        e.RepoAdded(path="/r", default_base="main"),
        e.RepoTrusted(path="/r", digest="d"),
        e.RuleAdded(path="/r", tool="Bash", command="make", session=ONE),
        e.RuleAdded(path="/r", tool="Bash", command="make"),
        e.RepoAdded(path="/r"),
    ):
        state.apply(event)
    repo = state.repos["/r"]
    assert (repo.default_base, repo.trusted, repo.digest) == ("main", True, "d")
    assert repo.rules == (Rule("Bash", "make"),)
    assert state.sessions == {}
