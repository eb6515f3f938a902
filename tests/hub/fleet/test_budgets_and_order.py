"""Who may work next, and for how much: pure decisions from the state."""

from __future__ import annotations

import msgspec

from manyhands.config import AgentConfig, BudgetConfig, Limits, Settings
from manyhands.contract.sessions import BudgetView
from manyhands.hub.core.views import session_view
from manyhands.hub.fleet.alarms import next_due, ringing
from manyhands.hub.fleet.budgets import SharedTotals, exhausted, used
from manyhands.hub.fleet.places import consequences, in_fair_order
from manyhands.model import events as e
from manyhands.model.attention.attention import Resolution
from manyhands.model.ids import ConversationId, SessionId
from manyhands.model.session.budget import Budget as Own
from manyhands.model.session.budget import Spent
from manyhands.model.session.place import Place
from manyhands.model.session.session import Session
from manyhands.model.state import State
from tests.hub.facts import AT, World, at, created, said, turn

S = SessionId("s")


def state_of(*events: e.AnyEvent) -> State:
    state = State()
    for event in events:
        state.apply(event)
    return state


def begun(session: str, **more: object) -> list[e.AnyEvent]:
    made = msgspec.structs.replace(created(session), **more)
    return [made, e.SessionReady(session=SessionId(session), at=at(0))]


def test_the_repositories_take_turns() -> None:
    def waiting(id: str, repo: str, second: int) -> Session:
        return Session(id=SessionId(id), repo=repo, place=Place(queued_at=at(second)))

    many = [waiting(f"a{n}", "/a", n) for n in range(3)]
    order = in_fair_order([*many, waiting("b0", "/b", 50)], [])
    assert [s.id for s in order] == ["a0", "b0", "a1", "a2"]
    working = [waiting("x", "/a", 0)]
    order = in_fair_order([*many, waiting("b0", "/b", 50)], working)
    assert [s.id for s in order] == ["b0", "a0", "a1", "a2"]


def test_a_provider_has_places_of_its_own_and_the_reason_names_it() -> None:
    agents = {"other": AgentConfig(kind="claude", provider="elsewhere")}
    limits = Limits(working=3, provider={"anthropic": 1})
    settings = Settings(limits=limits, agents=agents)
    events: list[e.AnyEvent] = []
    for number, (name, agent) in enumerate([("a", "claude"), ("b", "claude"), ("c", "other")]):
        events += [*begun(name, agent=agent), said(name, f"m{name}", at(number))]
    following = consequences(state_of(*events), settings, at(9))
    granted = [f.session for f in following if isinstance(f, e.PlaceGranted)]
    assert granted == ["a", "c"]
    (queued,) = [f for f in following if isinstance(f, e.SessionQueued)]
    assert queued.reason == "1 of 1 places for anthropic in use; number 1 in line"


def test_time_counts_while_the_agent_works_and_waits_for_nobody() -> None:
    state = state_of(*begun("s"), *turn("s", 1))
    began = state.sessions[S].spending.running_since
    state.apply(e.TurnFinished(session=S, at=at(15 * 60 + 90), turn=1))
    spent = used(state.sessions[S], at(0))
    assert began
    assert spent.seconds > 0
    assert state.sessions[S].spending.running_since == ""


def test_every_scope_is_summed_over_its_own_sessions() -> None:
    day = at(0)[:10]
    events: list[e.AnyEvent] = []
    for name, repo, usd in (("a", "/a", 1.0), ("b", "/a", 2.0), ("c", "/c", 4.0)):
        events += begun(name, repo=repo)
        events.append(e.UsageRecorded(session=SessionId(name), at=at(1), cost_usd=usd))
    state = state_of(*events)
    totals = SharedTotals(state, at(2))
    assert totals.of("/a").usd == 3.0
    assert totals.of(day).usd == 7.0
    a = state.sessions[SessionId("a")]

    def over(**budget: float) -> str:
        found = exhausted(a, Settings(budget=BudgetConfig(**budget)), totals)
        return found.scope if found else ""

    assert over(session_usd=1.0) == "session"
    assert over(session_usd=1.5, repo_usd=3.0) == "repo"
    assert over(repo_usd=3.5, day_usd=7.0) == day
    assert over(session_usd=1.5, repo_usd=3.5, day_usd=7.5) == ""
    own = msgspec.structs.replace(a, budget=Own(usd=10.0))
    assert exhausted(own, Settings(budget=BudgetConfig(session_usd=1.0)), totals) is None
    raised = msgspec.structs.replace(a, budget=Own(raises={"session usd": 1}))
    assert exhausted(raised, Settings(budget=BudgetConfig(session_usd=0.75)), totals) is None


def test_a_shared_budget_is_raised_for_all_who_share_it_and_by_enough() -> None:
    day = AT[:10]
    for scope, budget in (("repo", BudgetConfig(repo_usd=1.0)), (day, BudgetConfig(day_usd=1.0))):
        world = World()
        world.settings = Settings(budget=budget)
        world.happens(*begun("s"), e.UsageRecorded(session=S, at=AT, cost_usd=3.5), said("s", "m"))
        (item,) = world.session("s").inbox.items
        where = "in this repository" if scope == "repo" else "today"
        assert item.options[0].label == f"Allow $3.00 more {where}"
        raised = Resolution(options=("raise",))
        world.happens(e.AttentionResolved(session=S, at=AT, item=item.id, resolution=raised))
        world.happens(*begun("t"), said("t", "m"))
        for name in ("s", "t"):
            assert (world.session(name).inbox.items, world.session(name).place.granted) == (
                (),
                True,
            )
        usage = e.UsageRecorded(session=SessionId("t"), at=AT, cost_usd=0.5)
        world.happens(usage, *begun("u"), said("u", "m"))
        (again,) = world.session("u").inbox.items
        assert (again.detail["scope"], again.detail["allowed"]) == (scope, 4.0)


def test_a_raise_is_of_the_unit_that_was_asked_about_and_of_the_sum_that_was_set() -> None:
    world = World()
    world.happens(*begun("s", budget_usd=1.0, budget_minutes=9.0))
    world.happens(e.UsageRecorded(session=S, at=AT, cost_usd=1.0), said("s", "m"))
    (item,) = world.session("s").inbox.items
    raised = Resolution(options=("raise",))
    world.happens(e.AttentionResolved(session=S, at=AT, item=item.id, resolution=raised))
    assert session_view(world.session("s")).budget == BudgetView(2.0, 9.0)
    world.happens(e.BudgetChanged(session=S, at=AT, usd=1.5, minutes=9.0))
    assert session_view(world.session("s")).budget == BudgetView(1.5, 9.0)


def test_an_estimate_that_is_taken_back_leaves_the_exact_sum() -> None:
    state = state_of(*begun("s"))
    for usd, estimated in ((0.4, True), (-0.4, True), (0.25, False)):
        record = e.UsageRecorded(session=S, at=at(1), cost_usd=usd, estimated=estimated)
        state.apply(record)
    s = state.sessions[S]
    assert (s.spending.usd, s.spending.estimated_usd) == (0.25, 0.0)
    assert s.spending.days == {at(1)[:10]: Spent(0.25, 0.0)}


def test_a_limit_is_a_wait_that_rings_when_it_is_over() -> None:
    state = state_of(*begun("s"), said("s", "m"), *turn("s", 1, "m"))
    limited = e.TurnFinished(
        session=S, at=at(5), turn=1, outcome="failed", error="429", limited=True, resets_at=at(60)
    )
    state.apply(limited)
    settings = Settings(limits=Limits(resume=True))
    for event in consequences(state, settings, at(6)):
        state.apply(event)
    s = state.sessions[S]
    assert (s.status, s.inbox.items[0].kind) == ("waiting", "limit")
    assert next_due(state, settings, at(7)) == at(60)
    assert list(ringing(state, at(59))) == []
    for event in ringing(state, at(60)):
        state.apply(event)
    s = state.sessions[S]
    assert (s.inbox.items, len(s.main.undelivered), s.main.limit) == ((), 1, None)


def test_words_to_a_session_that_waits_for_its_provider_settle_the_wait() -> None:
    world = World()
    world.happens(*begun("s"), said("s", "m"), *turn("s", 1, "m"))
    world.happens(e.TurnFinished(session=S, at=AT, turn=1, outcome="failed", limited=True))
    assert world.session("s").inbox.items[0].kind == "limit"
    world.happens(said("s", "again"))
    assert world.session("s").inbox.items == ()


def test_a_budget_that_was_raised_elsewhere_or_whose_day_is_over_asks_no_more() -> None:
    world = World()
    world.settings = Settings(budget=BudgetConfig(day_usd=1.0))
    world.happens(*begun("s"), e.UsageRecorded(session=S, at=AT, cost_usd=2.0), said("s", "m"))
    (item,) = world.session("s").inbox.items
    assert item.detail["scope"] == AT[:10]
    assert next_due(world.state, world.settings, AT) == "2026-02-01T00:00:00.000Z"
    tomorrow = "2026-02-01T00:00:00.050Z"
    assert next_due(world.state, world.settings, tomorrow) == ""
    (over, *_) = consequences(world.state, world.settings, tomorrow)
    assert isinstance(over, e.AttentionResolved)
    world.settings = Settings(budget=BudgetConfig(day_usd=3.0))
    world.happens()
    assert world.session("s").inbox.items == ()
    assert world.session("s").place.granted


def test_an_agent_beside_the_main_one_is_asked_about_too_and_stays_stopped() -> None:
    beside = ConversationId("c")
    world = World()
    world.settings = Settings(budget=BudgetConfig(session_usd=1.0))
    opened = e.ConversationOpened(
        session=S, at=AT, conversation=beside, agent="claude", kind="claude", writes=True
    )
    world.happens(*begun("s"), e.SessionStopped(session=S, at=AT), opened)
    world.happens(
        e.TurnStarted(session=S, at=AT, conversation=beside, turn=1),
        e.UsageRecorded(session=S, at=AT, conversation=beside, cost_usd=2.0),
    )
    assert world.session("s").inbox.items == ()
    world.happens(e.AgentHeld(session=S, at=AT, conversation=beside, on=True))
    (item,) = world.session("s").inbox.items
    assert [option.id for option in item.options] == ["raise", "stop"]
    stopped = Resolution(options=("stop",))
    world.happens(e.AttentionResolved(session=S, at=AT, item=item.id, resolution=stopped))
    assert world.session("s").inbox.items == ()
