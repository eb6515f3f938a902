"""What follows from a state by itself: recovery from deaths, budgets, follow-ups, places.

Pure. The hub runs `consequences` at the end of every transaction that could have changed
who may work, so a place is never free while a session waits for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from manyhands.config import Settings
from manyhands.hub.budgets import Totals, budget_item, exhausted
from manyhands.hub.moot import moot
from manyhands.model import events as e
from manyhands.model.attention import DIED_OPTIONS, LIMIT_OPTIONS, Attention
from manyhands.model.clock import Instant, later
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
    totals = Totals(state, at)
    for session in list(layer.all_sessions().values()):
        for follow in (_moot, _recovery, _surrender, _limit, _budget, _next_follow_up):
            for event in follow(layer.sessions.get(session.id, session), settings, totals):
                layer.apply(event)
                found.append(event)
    for event in _grants(layer, settings, totals):
        layer.apply(event)
        found.append(event)
    return found


def _moot(s: Session, settings: Settings, totals: Totals) -> Iterator[e.AnyEvent]:
    yield from moot(s, settings, totals)


def _recovery(s: Session, settings: Settings, totals: Totals) -> Iterator[e.AnyEvent]:
    at = totals.at
    at_rest = s.halted or s.archived or s.error
    if not s.broken or at_rest or s.is_held_up or s.undelivered or s.answers:
        return
    asks = settings.defaults.resume == "ask" or s.kind == "terminal"
    if asks or s.deaths > MOST_DEATHS:
        yield e.AttentionRaised(session=s.id, at=at, turn=s.turn, item=_died(s, at))
        return
    yield from resumption(s, at)


def _surrender(s: Session, settings: Settings, totals: Totals) -> Iterator[e.AnyEvent]:
    """Keepers that die as soon as they are born are not born for ever."""
    at = totals.at
    if s.stillborn > MOST_DEATHS and s.undelivered and not s.error:
        told = f"its keeper ended {s.stillborn} times before the agent took the message"
        hint = f"the home's logs/keeper-{s.id}.log tells why; then `manyhands resume {s.slug}`"
        yield e.SessionFailed(session=s.id, at=at, step="keeper", error=told, hint=hint)


def resumption(s: Session, at: Instant) -> Iterator[e.AnyEvent]:
    """Go on after a death: by the agent's own id, or, if it holds nothing yet, from the start."""
    message = MessageId(fresh_id())
    if s.kind == "terminal":  # it is started again; nothing is typed that no person said
        yield e.UserMessage(session=s.id, at=at, message=message, text="", by="hub")
        return
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


def _limit(s: Session, settings: Settings, totals: Totals) -> Iterator[e.AnyEvent]:
    """The provider takes no more: wait, visibly, until it does."""
    if s.limit is None or s.is_held_up or s.archived or s.in_turn or s.halted:
        return
    at, until = totals.at, s.limit.resets_at
    resumes_at = ""
    if settings.limits.resume:
        resumes_at = until or later(at, settings.limits.resume_minutes * 60)
    item = Attention(
        id=AttentionId(fresh_id()),
        session=s.id,
        kind="limit",
        summary=f"The provider takes no more until {until}" if until else s.limit.error,
        detail={"error": s.limit.error, "resets_at": until, "resumes_at": resumes_at},
        options=LIMIT_OPTIONS,
        raised_at=at,
    )
    yield e.AttentionRaised(session=s.id, at=at, turn=s.turn, item=item)


def _budget(s: Session, settings: Settings, totals: Totals) -> Iterator[e.AnyEvent]:
    """Ask once a budget is used and more is wanted; never kill."""
    beside = not s.in_turn and any(c.in_turn for c in s.conversations)
    if s.archived or s.is_held_up or s.error or (s.halted and not beside):
        return
    may_finish = s.in_turn and s.overrun == s.turn
    works = s.in_turn or beside
    goes_on = s.held and not may_finish if works else wants_work(s) or s.follow_ups
    if goes_on and (budget := exhausted(s, settings, totals)):
        item = budget_item(s, budget, totals.at)
        yield e.AttentionRaised(session=s.id, at=totals.at, turn=s.turn, item=item)


def _next_follow_up(s: Session, settings: Settings, totals: Totals) -> Iterator[e.AnyEvent]:
    at_rest = s.status in ("idle", "waiting") and not s.is_held_up
    if not s.follow_ups or not at_rest or s.halted or s.broken or s.limit:
        return
    if exhausted(s, settings, totals):
        return
    first = s.follow_ups[0]
    yield e.UserMessage(
        session=s.id,
        at=totals.at,
        message=first.id,
        text=first.text,
        model=first.model,
        effort=first.effort,
        attachments=first.attachments,
    )


def wants_work(s: Session) -> bool:
    return bool(s.undelivered or any(c.undelivered for c in s.conversations))


def wants_place(s: Session, settings: Settings, totals: Totals) -> bool:
    held_back = s.archived or not s.ready or s.place or s.in_turn or is_moving(s)
    beside = any(c.undelivered for c in s.conversations)
    if held_back or not (beside or (s.undelivered and not s.error)):
        return False
    return exhausted(s, settings, totals) is None


def is_moving(s: Session) -> bool:
    """Its files are on their way: to the trash, out of it, or back to a checkpoint."""
    return s.step in MOVES


def has_place(s: Session) -> bool:
    """At work, or about to begin; an agent that waits in its turn gave its place away."""
    return s.status == "working" or (s.place and not s.in_turn and not s.archived)


def _grants(state: State, settings: Settings, totals: Totals) -> Iterator[e.AnyEvent]:
    limits = settings.limits
    sessions = state.all_sessions().values()
    working = [s for s in sessions if has_place(s)]
    free = limits.working - len(working)
    taken = Counter(settings.provider(s.agent) for s in working)
    wanting = [s for s in sessions if wants_place(s, settings, totals)]
    position = 0
    for s in in_fair_order(wanting, working):
        provider = settings.provider(s.agent)
        most = limits.provider.get(provider)
        is_full = most is not None and taken[provider] >= most
        if free > 0 and not is_full:
            free -= 1
            taken[provider] += 1
            yield e.PlaceGranted(session=s.id, at=totals.at)
            continue
        position += 1
        whose = f"{most} of {most} places for {provider}" if is_full and free > 0 else ""
        places = whose or f"{limits.working} of {limits.working} places"
        reason = f"{places} in use; number {position} in line"
        if s.reason != reason:
            yield e.SessionQueued(session=s.id, at=totals.at, reason=reason)


def in_fair_order(wanting: Iterable[Session], working: Iterable[Session]) -> list[Session]:
    """Oldest first, and in turn over the repositories: many in one must not starve another's."""
    ahead = Counter(s.repo for s in working)
    ranked = []
    for s in sorted(wanting, key=lambda s: (s.queued_at, s.id)):
        ranked.append((ahead[s.repo], s.queued_at, s.id, s))
        ahead[s.repo] += 1
    return [s for *_, s in sorted(ranked, key=lambda entry: entry[:3])]
