"""Budgets in USD and in minutes, for a session, a repository and a day. Pure.

A budget that is used up holds the agent at its next tool call, or before its next turn, and a
person is asked; nothing is ever killed for it. A raise is the session's: it may then go on until
the same sum was used once more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from manyhands.config import Settings
from manyhands.model.attention import BUDGET_OPTIONS, Attention
from manyhands.model.clock import Instant, seconds_between
from manyhands.model.ids import AttentionId, fresh_id
from manyhands.model.session import Session
from manyhands.model.session_parts import Spent
from manyhands.model.state import State

MINUTE = 60.0


@dataclass(frozen=True)
class Budget:
    """One budget as it stands for a session, in the words of its attention."""

    scope: str
    unit: str
    spent: float
    allowed: float

    @property
    def used_up(self) -> bool:
        return self.spent >= self.allowed

    def __str__(self) -> str:
        whose = {"session": "the session's", "repo": "the repository's"}.get(self.scope, "today's")
        money = self.unit == "usd"
        spent = f"${self.spent:.2f} spent" if money else f"{self.spent:.0f} minutes worked"
        return f"{spent}: {whose} budget is used up"


class Totals:
    """What all sessions together have used; summed up only where a budget asks for it."""

    def __init__(self, state: State, at: Instant) -> None:
        self.at = at
        self._state = state
        self._by_scope: dict[str, Spent] | None = None

    def of(self, scope: str) -> Spent:
        if self._by_scope is None:
            self._by_scope = self._sum()
        return self._by_scope.get(scope, Spent())

    def _sum(self) -> dict[str, Spent]:
        today = self.at[:10]
        sums: defaultdict[str, Spent] = defaultdict(Spent)
        for s in self._state.all_sessions().values():
            sums[s.repo] = _plus(sums[s.repo], used(s, self.at))
            sums[today] = _plus(sums[today], used(s, self.at, today))
        return sums


def used(s: Session, at: Instant, day: str = "") -> Spent:
    """What the session has used, of all days or of one; a running turn counts up to now."""
    days = [spent for date, spent in s.days.items() if day in ("", date)]
    running = seconds_between(s.running_since, at) if s.running_since else 0.0
    seconds = sum(spent.seconds for spent in days) + running
    return Spent(sum(spent.usd for spent in days) if day else s.cost_usd, seconds)


def budgets(s: Session, settings: Settings, totals: Totals) -> Iterator[Budget]:
    given, at = settings.budget, totals.at
    usd = given.session_usd if s.budget_usd is None else s.budget_usd
    minutes = given.session_minutes if s.budget_minutes is None else s.budget_minutes
    if usd is not None or minutes is not None:
        yield from _both(s, "session", used(s, at), usd, minutes)
    if given.repo_usd is not None or given.repo_minutes is not None:
        yield from _both(s, "repo", totals.of(s.repo), given.repo_usd, given.repo_minutes)
    if given.day_usd is not None or given.day_minutes is not None:
        today = at[:10]
        yield from _both(s, today, totals.of(today), given.day_usd, given.day_minutes)


def _both(
    s: Session, scope: str, spent: Spent, usd: float | None, minutes: float | None
) -> Iterator[Budget]:
    times = 1 + s.raises.get(scope, 0)
    if usd is not None:
        yield Budget(scope, "usd", spent.usd, usd * times)
    if minutes is not None:
        yield Budget(scope, "minutes", spent.seconds / MINUTE, minutes * times)


def exhausted(s: Session, settings: Settings, totals: Totals) -> Budget | None:
    """The first budget that is used up, if any is."""
    return next((b for b in budgets(s, settings, totals) if b.used_up), None)


def is_used_up(s: Session, item: Attention, settings: Settings, totals: Totals) -> bool:
    """Whether the budget that the item is about is used up still."""
    asked = (item.detail.get("scope"), item.detail.get("unit"))
    return any(b.used_up and (b.scope, b.unit) == asked for b in budgets(s, settings, totals))


def seconds_left(s: Session, settings: Settings, totals: Totals) -> float | None:
    """How long the session may go on working before a budget of minutes is used up."""
    timed = [b for b in budgets(s, settings, totals) if b.unit == "minutes" and not b.used_up]
    return min(((b.allowed - b.spent) * MINUTE for b in timed), default=None)


def budget_item(s: Session, budget: Budget, at: Instant) -> Attention:
    options = BUDGET_OPTIONS if s.in_turn else tuple(o for o in BUDGET_OPTIONS if o.id != "finish")
    return Attention(
        id=AttentionId(fresh_id()),
        session=s.id,
        kind="budget",
        summary=str(budget),
        detail={
            "scope": budget.scope,
            "unit": budget.unit,
            "spent": round(budget.spent, 6),
            "allowed": round(budget.allowed, 6),
            "spent_usd": s.cost_usd,
            "estimated": abs(s.estimated_usd) > 0,
        },
        options=options,
        raised_at=at,
    )


def _plus(a: Spent, b: Spent) -> Spent:
    return Spent(a.usd + b.usd, a.seconds + b.seconds)
