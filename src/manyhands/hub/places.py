"""What follows from a state by itself: recovery from deaths, budgets, follow-ups, places.

Pure. The hub runs `consequences` at the end of every transaction that could have changed
who may work, so a place is never free while a session waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.config import Settings
from manyhands.model import events as e
from manyhands.model.attention import BUDGET_OPTIONS, DIED_OPTIONS, Attention
from manyhands.model.clock import Instant
from manyhands.model.ids import AttentionId, MessageId, fresh_id
from manyhands.model.session import MOVES, Session
from manyhands.model.state import State

MOST_DEATHS = 2
"""Resumed this often without one finished step in between, an agent is left for a person."""

CONTINUE = (
    "You were interrupted because your process ended unexpectedly. Look at the current state of "
    "the files before you rely on what you did last, then continue with the task."
)

GO_ON = "Please go on with the task where you left off."


def consequences(state: State, settings: Settings, at: Instant) -> list[e.AnyEvent]:
    """All events that must follow now; applying them leaves nothing more to follow."""
    layer = state.layer()
    found: list[e.AnyEvent] = []
    for session in list(layer.all_sessions().values()):
        for follow in (_recovery, _surrender, _budget, _next_follow_up):
            for event in follow(layer.sessions.get(session.id, session), settings, at):
                layer.apply(event)
                found.append(event)
    for event in _grants(layer, settings, at):
        layer.apply(event)
        found.append(event)
    return found


def _recovery(s: Session, settings: Settings, at: Instant) -> Iterator[e.AnyEvent]:
    at_rest = s.halted or s.archived or s.error
    if not s.broken or at_rest or s.is_held_up or s.undelivered or s.answers:
        return
    if settings.defaults.resume == "ask" or s.deaths > MOST_DEATHS:
        yield e.AttentionRaised(session=s.id, at=at, turn=s.turn, item=_died(s, at))
        return
    yield from resumption(s, at)


def _surrender(s: Session, settings: Settings, at: Instant) -> Iterator[e.AnyEvent]:
    """Keepers that die as soon as they are born are not born for ever."""
    if s.stillborn > MOST_DEATHS and s.undelivered and not s.error:
        told = f"its keeper ended {s.stillborn} times before the agent took the message"
        hint = f"the home's logs/keeper-{s.id}.log tells why; then `manyhands resume {s.slug}`"
        yield e.SessionFailed(session=s.id, at=at, step="keeper", error=told, hint=hint)


def resumption(s: Session, at: Instant) -> Iterator[e.AnyEvent]:
    """Go on after a death: by the agent's own id, or, if it holds nothing yet, from the start."""
    message = MessageId(fresh_id())
    if s.steps:
        text = CONTINUE if s.broken else GO_ON
        yield e.UserMessage(session=s.id, at=at, message=message, text=text, by="hub")
        return
    note = "The agent died before its first step, so there is nothing to resume: message sent again"
    yield e.NoteMade(session=s.id, at=at, text=note)
    yield e.UserMessage(session=s.id, at=at, message=message, text=s.last_message, by="hub")


def _died(s: Session, at: Instant) -> Attention:
    return Attention(
        id=AttentionId(fresh_id()),
        session=s.id,
        kind="agent_died",
        summary=f"The agent died in turn {s.turn}",
        detail={"turn": s.turn, "deaths": s.deaths, "agent_session": s.agent_session},
        options=DIED_OPTIONS,
        raised_at=at,
    )


def _budget(s: Session, settings: Settings, at: Instant) -> Iterator[e.AnyEvent]:
    """Pause at the turn's end once the budget is used and more is wanted; never kill."""
    if not is_over_budget(s, settings) or s.in_turn or s.archived or s.is_held_up or s.halted:
        return
    if not s.undelivered and not s.follow_ups:
        return
    item = Attention(
        id=AttentionId(fresh_id()),
        session=s.id,
        kind="budget",
        summary=f"${s.cost_usd:.2f} spent: the budget is used up",
        detail={"spent_usd": s.cost_usd, "budget_usd": settings.budget.session_usd},
        options=BUDGET_OPTIONS,
        raised_at=at,
    )
    yield e.AttentionRaised(session=s.id, at=at, turn=s.turn, item=item)


def is_over_budget(s: Session, settings: Settings) -> bool:
    limit = settings.budget.session_usd
    return limit is not None and s.cost_usd >= limit * s.budgets


def _next_follow_up(s: Session, settings: Settings, at: Instant) -> Iterator[e.AnyEvent]:
    if is_over_budget(s, settings):
        return
    at_rest = s.status in ("idle", "waiting") and not s.is_held_up
    if s.follow_ups and at_rest and not s.halted and not s.broken:
        first = s.follow_ups[0]
        yield e.UserMessage(session=s.id, at=at, message=first.id, text=first.text)


def wants_place(s: Session, settings: Settings) -> bool:
    held_back = s.archived or s.error or not s.ready or s.place or s.in_turn or is_moving(s)
    return bool(s.undelivered) and not held_back and not is_over_budget(s, settings)


def is_moving(s: Session) -> bool:
    """Its files are on their way: to the trash, out of it, or back to a checkpoint."""
    return s.step in MOVES


def has_place(s: Session) -> bool:
    """At work, or about to begin; an agent that waits in its turn gave its place away."""
    return s.status == "working" or (s.place and not s.in_turn and not s.archived)


def _grants(state: State, settings: Settings, at: Instant) -> Iterator[e.AnyEvent]:
    limit = settings.limits.working
    sessions = state.all_sessions().values()
    free = limit - sum(map(has_place, sessions))
    wanting = (s for s in sessions if wants_place(s, settings))
    queue = sorted(wanting, key=lambda s: (s.queued_at, s.id))
    for position, s in enumerate(queue, 1):
        if position <= free:
            yield e.PlaceGranted(session=s.id, at=at)
            continue
        reason = f"{limit} of {limit} places in use; number {position - max(free, 0)} in line"
        if s.reason != reason:
            yield e.SessionQueued(session=s.id, at=at, reason=reason)
