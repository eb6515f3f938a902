"""What follows from a state by itself: recovery from deaths, budgets, follow-ups, places.

Pure. The hub runs `consequences` at the end of every transaction that could have changed
who may work, so a place is never free while a session waits for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from manyhands.config import Settings
from manyhands.hub.core import fresh_item
from manyhands.hub.core.hub import stamped
from manyhands.hub.fleet.budgets import SharedTotals, budget_item, exhausted, is_used_up
from manyhands.model import events as e
from manyhands.model.attention.attention import DIED_OPTIONS, LIMIT_OPTIONS, Attention, Resolution
from manyhands.model.clock import Instant, later
from manyhands.model.ids import MessageId, fresh_id
from manyhands.model.session.life import MOVES
from manyhands.model.session.session import Session
from manyhands.model.state import State

MOST_DEATHS = 2
"""Resumed this often without one finished step in between, an agent is left for a person."""

CONTINUE = (
    "You were interrupted because your process ended unexpectedly. Look at the current state of "
    "the files before you rely on what you did last, then continue with the task."
)

GO_ON = "Please go on with the task where you left off."


TURNING_POINTS = (
    e.TurnStarted,
    e.TurnFinished,
    e.AgentExited,
    e.SessionFailed,
    e.PlanProposed,
    e.PermissionRequested,
    e.QuestionAsked,
    e.AttentionRaised,
    e.AttentionResolved,
    e.MessageDelivered,
    e.AnswerDelivered,
    e.AgentHeld,
    e.ConversationTaken,
    e.ConversationReturned,
)
"""Facts of keepers after which someone else may work, or someone must be asked."""


def consequences(state: State, settings: Settings, at: Instant) -> list[e.AnyEvent]:
    """All events that must follow now; applying them leaves nothing more to follow."""
    layer, totals = state.layer(), SharedTotals(state, at)
    found: list[e.AnyEvent] = []

    def take(events: Iterable[e.AnyEvent]) -> None:
        for event in events:
            found.append(stamped(event, at))
            layer.apply(found[-1])

    for session in list(layer.all_sessions().values()):
        for follow in (moot, _recovery, _surrender, _limit, _budget, _next_follow_up):
            take(follow(layer.sessions.get(session.id, session), settings, totals))
    take(_grants(layer, settings, totals))
    return found


def _recovery(s: Session, settings: Settings, totals: SharedTotals) -> Iterator[e.AnyEvent]:
    main = s.main
    at_rest = main.halted or s.life.archived or s.life.error
    if not main.broken or at_rest or s.inbox.is_held_up or main.undelivered or s.inbox.answers:
        return
    asks = settings.defaults.resume == "ask" or main.kind == "terminal"
    if asks or main.deaths > MOST_DEATHS:
        said = f"The agent died in turn {main.turn}"
        detail = {"turn": main.turn, "deaths": main.deaths, "agent_session": main.agent_session}
        item = fresh_item(s, "agent_died", said, detail, DIED_OPTIONS, totals.at)
        yield e.AttentionRaised(session=s.id, turn=main.turn, item=item)
        return
    yield from resumption(s)


def _surrender(s: Session, settings: Settings, totals: SharedTotals) -> Iterator[e.AnyEvent]:
    """Keepers that die as soon as they are born are not born for ever."""
    if s.keeper.stillborn > MOST_DEATHS and s.main.undelivered and not s.life.error:
        told = f"its keeper ended {s.keeper.stillborn} times before the agent took the message"
        hint = f"the home's logs/keeper-{s.id}.log tells why; then `manyhands resume {s.slug}`"
        yield e.SessionFailed(session=s.id, step="keeper", error=told, hint=hint)


def resumption(s: Session) -> Iterator[e.AnyEvent]:
    """Go on after a death: by the agent's own id, or, if it holds nothing yet, from the start."""
    message = MessageId(fresh_id())
    if s.main.kind == "terminal":  # it is started again; nothing is typed that no person said
        yield e.UserMessage(session=s.id, message=message, text="", by="hub", resumes=True)
        return
    if s.main.steps:
        text = CONTINUE if s.main.broken else GO_ON
        yield e.UserMessage(session=s.id, message=message, text=text, by="hub", resumes=True)
        return
    note = "The agent died before its first step, so there is nothing to resume: message sent again"
    yield e.NoteMade(session=s.id, text=note)
    heard = s.main.heard
    yield e.UserMessage(
        session=s.id,
        message=message,
        text="\n\n".join(m.text for m in heard) or s.main.last_message,
        attachments=tuple(attached for m in heard for attached in m.attachments),
        by="hub",
        resumes=True,
    )


def _limit(s: Session, settings: Settings, totals: SharedTotals) -> Iterator[e.AnyEvent]:
    """The provider takes no more: wait, visibly, until it does."""
    main = s.main
    at_rest = s.inbox.is_held_up or s.life.archived or main.in_turn or main.halted
    if main.limit is None or at_rest:
        return
    at, until = totals.at, main.limit.resets_at
    resumes_at = ""
    if settings.limits.resume:
        resumes_at = until or later(at, settings.limits.resume_minutes * 60)
    said = f"The provider takes no more until {until}" if until else main.limit.error
    detail = {"error": main.limit.error, "resets_at": until, "resumes_at": resumes_at}
    item = fresh_item(s, "limit", said, detail, LIMIT_OPTIONS, at)
    yield e.AttentionRaised(session=s.id, turn=s.main.turn, item=item)


def _budget(s: Session, settings: Settings, totals: SharedTotals) -> Iterator[e.AnyEvent]:
    """Ask once a budget is used and more is wanted; never kill."""
    others_work = s.works and not s.main.in_turn
    if s.life.archived or s.inbox.is_held_up or s.life.error or (s.main.halted and not others_work):
        return
    may_finish = s.main.in_turn and s.budget.overrun == s.main.turn
    wants_work = s.main.follow_ups or any(c.undelivered for c in s.conversations.values())
    goes_on = s.budget.held and not may_finish if s.works else wants_work
    if goes_on and (budget := exhausted(s, settings, totals)):
        item = budget_item(s, budget, totals.at)
        yield e.AttentionRaised(session=s.id, turn=s.main.turn, item=item)


def _next_follow_up(s: Session, settings: Settings, totals: SharedTotals) -> Iterator[e.AnyEvent]:
    at_rest = s.status in ("idle", "waiting") and not s.inbox.is_held_up
    if not s.main.follow_ups or not at_rest or s.main.halted or s.main.broken or s.main.limit:
        return
    if s.main.taken:
        return
    if exhausted(s, settings, totals):
        return
    first = s.main.follow_ups[0]
    yield e.UserMessage(
        session=s.id,
        message=first.id,
        text=first.text,
        model=first.model,
        effort=first.effort,
        attachments=first.attachments,
    )


def wants_place(s: Session, settings: Settings, totals: SharedTotals) -> bool:
    held_back = (
        s.life.archived or not s.life.ready or s.place.granted or s.main.in_turn or is_moving(s)
    )
    if s.inbox.answers:
        return False  # at work already: what is said goes along with the answer, or after it
    if s.main.taken:
        wanting = [c for c in s.others if not c.writes]
    else:  # a failure is of the main conversation; the others may go on
        wanting = list(s.others if s.life.error else s.conversations.values())
    if held_back or not any(c.undelivered for c in wanting):
        return False
    return exhausted(s, settings, totals) is None


def is_moving(s: Session) -> bool:
    """Its files are on their way: to the trash, out of it, or back to a checkpoint."""
    return s.life.step in MOVES


def has_place(s: Session) -> bool:
    """At work, or about to begin; an agent that waits in its turn gave its place away."""
    return s.status == "working" or (s.place.granted and not s.main.in_turn and not s.life.archived)


def _grants(state: State, settings: Settings, totals: SharedTotals) -> Iterator[e.AnyEvent]:
    limits = settings.limits
    sessions = state.all_sessions().values()
    working = [s for s in sessions if has_place(s)]
    free = limits.working - len(working)
    taken = Counter(settings.provider(s.main.agent) for s in working)
    wanting = [s for s in sessions if wants_place(s, settings, totals)]
    position = 0
    for s in in_fair_order(wanting, working):
        provider = settings.provider(s.main.agent)
        most = limits.provider.get(provider)
        is_full = most is not None and taken[provider] >= most
        if free > 0 and not is_full:
            free -= 1
            taken[provider] += 1
            yield e.PlaceGranted(session=s.id)
            continue
        position += 1
        whose = f"{most} of {most} places for {provider}" if is_full and free > 0 else ""
        places = whose or f"{limits.working} of {limits.working} places"
        reason = f"{places} in use; number {position} in line"
        if s.place.reason != reason:
            yield e.SessionQueued(session=s.id, reason=reason)


def in_fair_order(wanting: Iterable[Session], working: Iterable[Session]) -> list[Session]:
    """Oldest first, and in turn over the repositories: many in one must not starve another's."""
    ahead = Counter(s.repo for s in working)
    ranked = []
    for s in sorted(wanting, key=lambda s: (s.place.queued_at, s.id)):
        ranked.append((ahead[s.repo], s.place.queued_at, s.id, s))
        ahead[s.repo] += 1
    return [s for *_, s in sorted(ranked, key=lambda entry: entry[:3])]


AWAITED = ("plan", "permission", "question")
"""An agent waits for each of these by itself, even if two read the same."""


def moot(s: Session, settings: Settings, totals: SharedTotals) -> Iterator[e.AnyEvent]:
    """Items that nobody needs to answer any more, by what happened since, or told twice."""
    kept: list[Attention] = []
    for item in reversed(s.inbox.items):
        why = _reason(s, item, settings, totals) or _repeated(item, kept)
        if why:
            over = Resolution(text=why, by="hub")
            yield e.AttentionResolved(session=s.id, item=item.id, resolution=over)
        else:
            kept.append(item)


def _reason(s: Session, item: Attention, settings: Settings, totals: SharedTotals) -> str:
    match item.kind:
        case "bell" if not s.inbox.unread or s.main.undelivered:
            return "seen"
        case "agent_died" if not s.main.broken and (s.main.undelivered or s.main.in_turn):
            return "the session goes on"
        case "limit" if s.main.limit is None:
            return "the session goes on"
        case "setup_failed" if s.workspace.setup in ("done", "reused", "skipped"):
            return "the setup is done"
        case "budget" if not is_used_up(s, item, settings, totals):
            return "there is budget again"  # it was raised elsewhere, or its day is over
        case _:
            return ""


def _repeated(item: Attention, later: list[Attention]) -> str:
    """Of bells only the last is kept, of other items that say the same only one."""
    for other in later if item.kind not in AWAITED else ():
        same = (other.summary, other.detail, other.conversation) == (
            item.summary,
            item.detail,
            item.conversation,
        )
        if other.kind == item.kind and (item.kind == "bell" or same):
            return "told again since"
    return ""
