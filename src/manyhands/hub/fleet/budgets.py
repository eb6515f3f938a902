"""Budgets in USD and in minutes, for a session, a repository and a day. Pure.

A budget that is used up holds the agent at its next tool call, or before its next turn, and a
person is asked; nothing is ever killed for it. A raise is of the budget that was asked about: a
repository's or a day's is raised for all who share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from manyhands.config import Settings
from manyhands.hub.core import fresh_item
from manyhands.model.attention.attention import Attention, Option, budget_options
from manyhands.model.clock import Instant, seconds_between
from manyhands.model.session.budget import Spent, raise_key, raises_wanted
from manyhands.model.session.session import Session
from manyhands.model.state import State

MINUTE = 60.0
UNITS = ("usd", "minutes")


@dataclass(frozen=True)
class BudgetStanding:
    """One budget as it stands for a session, in the words of its attention."""

    scope: str
    unit: str
    spent: float
    each: float
    """The sum that was given first, and is given again with every raise."""
    raises: int

    @property
    def allowed(self) -> float:
        return self.each * (1 + self.raises)

    @property
    def used_up(self) -> bool:
        return self.spent >= self.allowed

    def __str__(self) -> str:
        whose = {"session": "the session's", "repo": "the repository's"}.get(self.scope, "today's")
        money = self.unit == "usd"
        spent = f"${self.spent:.2f} spent" if money else f"{self.spent:.0f} minutes worked"
        return f"{spent}: {whose} budget is used up"


@dataclass
class Shared:
    """What the sessions under one budget have used, and how often it was raised for them."""

    usd: float = 0.0
    seconds: float = 0.0
    raises: Counter[str] = field(default_factory=Counter)

    def add(self, s: Session, spent: Spent, scope: str) -> None:
        self.usd += spent.usd
        self.seconds += spent.seconds
        for unit in UNITS:
            self.raises[unit] += s.budget.raises.get(raise_key(scope, unit), 0)


class SharedTotals:
    """What all sessions together have used; summed up only where a budget asks for it."""

    def __init__(self, state: State, at: Instant) -> None:
        self.at = at
        self._state = state
        self._by_scope: dict[str, Shared] | None = None

    def of(self, scope: str) -> Shared:
        """Of a repository by its path, or of today by its date."""
        if self._by_scope is None:
            self._by_scope = self._sum()
        return self._by_scope.get(scope, Shared())

    def _sum(self) -> dict[str, Shared]:
        today = self.at[:10]
        sums = {today: Shared()}
        for s in self._state.all_sessions().values():
            sums.setdefault(s.repo, Shared()).add(s, used(s, self.at), "repo")
            sums[today].add(s, used(s, self.at, today), today)
        return sums


def used(s: Session, at: Instant, day: str = "") -> Spent:
    """What the session has used, of all days or of one; a running turn counts up to now."""
    days = [spent for date, spent in s.spending.days.items() if day in ("", date)]
    running = seconds_between(s.spending.running_since, at) if s.spending.running_since else 0.0
    seconds = sum(spent.seconds for spent in days) + running
    return Spent(sum(spent.usd for spent in days) if day else s.spending.usd, seconds)


def budgets(s: Session, settings: Settings, totals: SharedTotals) -> Iterator[BudgetStanding]:
    given, at = settings.budget, totals.at
    usd = given.session_usd if s.budget.usd is None else s.budget.usd
    minutes = given.session_minutes if s.budget.minutes is None else s.budget.minutes
    if usd is not None or minutes is not None:
        own = Shared()
        own.add(s, used(s, at), "session")
        yield from _both("session", own, usd, minutes)
    if given.repo_usd is not None or given.repo_minutes is not None:
        yield from _both("repo", totals.of(s.repo), given.repo_usd, given.repo_minutes)
    if given.day_usd is not None or given.day_minutes is not None:
        today = at[:10]
        yield from _both(today, totals.of(today), given.day_usd, given.day_minutes)


def _both(
    scope: str, shared: Shared, usd: float | None, minutes: float | None
) -> Iterator[BudgetStanding]:
    if usd is not None:
        yield BudgetStanding(scope, "usd", shared.usd, usd, shared.raises["usd"])
    if minutes is not None:
        worked = shared.seconds / MINUTE
        yield BudgetStanding(scope, "minutes", worked, minutes, shared.raises["minutes"])


def exhausted(s: Session, settings: Settings, totals: SharedTotals) -> BudgetStanding | None:
    """The first budget that is used up, if any is."""
    return next((b for b in budgets(s, settings, totals) if b.used_up), None)


def is_used_up(s: Session, item: Attention, settings: Settings, totals: SharedTotals) -> bool:
    """Whether the budget that the item is about is used up still."""
    asked = (item.detail.get("scope"), item.detail.get("unit"))
    return any(b.used_up and (b.scope, b.unit) == asked for b in budgets(s, settings, totals))


def seconds_left(s: Session, settings: Settings, totals: SharedTotals) -> float | None:
    """How long the session may go on working before a budget of minutes is used up."""
    timed = [b for b in budgets(s, settings, totals) if b.unit == "minutes" and not b.used_up]
    return min(((b.allowed - b.spent) * MINUTE for b in timed), default=None)


def budget_item(s: Session, budget: BudgetStanding, at: Instant) -> Attention:
    detail = {
        "scope": budget.scope,
        "unit": budget.unit,
        "spent": round(budget.spent, 6),
        "allowed": round(budget.allowed, 6),
        "each": budget.each,
        "spent_usd": s.spending.usd,
        "estimated": abs(s.spending.estimated_usd) > 0,
    }
    return fresh_item(s, "budget", str(budget), detail, _options(s, budget), at)


def _options(s: Session, budget: BudgetStanding) -> tuple[Option, ...]:
    more = budget.each * raises_wanted(budget.spent, budget.allowed, budget.each)
    sum_ = f"${more:.2f}" if budget.unit == "usd" else f"{more:g} minutes"
    where = {"session": "", "repo": " in this repository"}.get(budget.scope, " today")
    offered = budget_options(f"Allow {sum_} more{where}")
    return offered if s.main.in_turn else tuple(o for o in offered if o.id != "finish")
