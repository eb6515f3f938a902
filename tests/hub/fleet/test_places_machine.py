"""Whatever happens to sessions, in any order, places are given out as they should be."""

from __future__ import annotations

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from manyhands.hub.fleet.budgets import SharedTotals
from manyhands.hub.fleet.places import has_place, wants_place
from manyhands.model import events as e
from manyhands.model.attention.attention import Resolution
from manyhands.model.ids import SessionId, fresh_id
from manyhands.model.session.session import Session
from tests.hub.facts import (
    AT,
    World,
    at,
    died,
    finished,
    follow_up,
    permission,
    ready,
    said,
    step,
    turn,
)

NAMES = "abcde"
OUTCOMES: list[e.Outcome] = ["done", "interrupted", "failed"]


def facts_of(s: Session) -> dict[str, bool]:
    return {
        "place": s.place.granted,
        "undelivered": bool(s.main.undelivered),
        "in_turn": s.main.in_turn,
        "attention": bool(s.inbox.items),
        "answers": bool(s.inbox.answers),
        "archived": s.life.archived,
    }


class Places(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.ticks = 0

    @initialize(working=st.integers(1, 3), ask=st.booleans())
    def begin(self, working: int, ask: bool) -> None:
        self.world = World(working, ask=ask)
        self.happens(*(event for name in NAMES for event in ready(name)))

    def occupied(self) -> int:
        return sum(map(has_place, self.world.state.sessions.values()))

    def happens(self, *events: e.AnyEvent) -> None:
        following = self.world.happens(*events)
        if any(isinstance(event, e.PlaceGranted) for event in following):
            assert self.occupied() <= self.world.settings.limits.working

    def pick(self, data: st.DataObject, *fitting: Session) -> str:
        return data.draw(st.sampled_from(sorted(s.id for s in fitting)))

    def of(self, **wanted: bool) -> list[Session]:
        sessions = self.world.state.sessions.values()
        return [s for s in sessions if wanted.items() <= facts_of(s).items()]

    @rule(name=st.sampled_from(NAMES))
    def a_person_says_something(self, name: str) -> None:
        self.ticks += 1
        if not self.world.session(name).life.archived:
            self.happens(said(name, fresh_id(), at(self.ticks % 3600)))

    @rule(name=st.sampled_from(NAMES))
    def a_person_leaves_a_follow_up(self, name: str) -> None:
        if self.world.session(name).status not in ("idle", "failed", "archived"):
            self.happens(follow_up(name, fresh_id()))

    @precondition(lambda self: self.of(place=True, undelivered=True, archived=False))
    @rule(data=st.data())
    def a_turn_begins(self, data: st.DataObject) -> None:
        name = self.pick(data, *self.of(place=True, undelivered=True, archived=False))
        s = self.world.session(name)
        self.happens(*turn(name, s.main.turn + 1, *(m.id for m in s.main.undelivered)))

    @precondition(lambda self: self.of(in_turn=True))
    @rule(data=st.data())
    def an_agent_finishes_a_step(self, data: st.DataObject) -> None:
        self.happens(step(self.pick(data, *self.of(in_turn=True))))

    @precondition(lambda self: self.of(in_turn=True, attention=False))
    @rule(data=st.data(), outcome=st.sampled_from(OUTCOMES))
    def a_turn_ends(self, data: st.DataObject, outcome: e.Outcome) -> None:
        self.happens(finished(self.pick(data, *self.of(in_turn=True, attention=False)), outcome))

    @precondition(lambda self: self.of(in_turn=True))
    @rule(data=st.data())
    def an_agent_asks(self, data: st.DataObject) -> None:
        self.happens(permission(self.pick(data, *self.of(in_turn=True)), fresh_id()))

    @precondition(lambda self: self.of(in_turn=True))
    @rule(data=st.data())
    def an_agent_dies(self, data: st.DataObject) -> None:
        self.happens(died(self.pick(data, *self.of(in_turn=True))))

    @precondition(lambda self: self.of(attention=True, archived=False))
    @rule(data=st.data())
    def a_person_answers(self, data: st.DataObject) -> None:
        name = SessionId(self.pick(data, *self.of(attention=True, archived=False)))
        item = self.world.session(name).inbox.items[0]
        option = "skip" if item.kind == "agent_died" else "allow"
        resolution = Resolution((option,))
        resolved = e.AttentionResolved(session=name, at=AT, item=item.id, resolution=resolution)
        more = [finished(name, "interrupted")] if item.kind == "agent_died" else []
        self.happens(resolved, *more)

    @precondition(lambda self: self.of(answers=True, archived=False))
    @rule(data=st.data())
    def an_answer_arrives(self, data: st.DataObject) -> None:
        name = SessionId(self.pick(data, *self.of(answers=True, archived=False)))
        s = self.world.session(name)
        given = e.AnswerDelivered(session=name, at=AT, item=s.inbox.answers[0].item.id)
        begun = [] if s.main.in_turn else turn(name, s.main.turn + 1)
        self.happens(*begun, given)

    @precondition(lambda self: self.of(in_turn=False, archived=False))
    @rule(data=st.data())
    def a_session_is_archived(self, data: st.DataObject) -> None:
        name = self.pick(data, *self.of(in_turn=False, archived=False))
        self.happens(e.SessionArchived(session=SessionId(name), at=AT))

    @precondition(lambda self: self.of(archived=True))
    @rule(data=st.data())
    def a_session_is_restored(self, data: st.DataObject) -> None:
        name = self.pick(data, *self.of(archived=True))
        self.happens(e.SessionRestored(session=SessionId(name), at=AT))

    @invariant()
    def nothing_more_follows(self) -> None:
        assert self.world.happens() == []

    @invariant()
    def nobody_waits_while_a_place_is_free(self) -> None:
        state, settings = self.world.state, self.world.settings
        totals = SharedTotals(state, AT)
        waiting = [s.id for s in state.sessions.values() if wants_place(s, settings, totals)]
        assert not waiting or self.occupied() >= self.world.settings.limits.working

    @invariant()
    def whoever_waits_is_told_why(self) -> None:
        for s in self.world.state.sessions.values():
            assert s.status != "queued" or s.place.reason


Places.TestCase.settings = hypothesis_settings(
    max_examples=150, stateful_step_count=50, deadline=None, derandomize=True
)
TestPlaces = Places.TestCase
