"""A session's own budget: given, raised, overrun, set anew; and what it has used of it."""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.agent.conversation import Conversation, Conversations, any_in_turn
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.clock import Instant, later, seconds_between
from manyhands.model.ids import MAIN


class Budget(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    usd: float | None = None
    minutes: float | None = None
    raises: dict[str, int] = {}
    """How often each budget was raised by an answer here, by scope and unit; each time by as much
    again. One of a repository or a day is raised for all who share it."""
    held: bool = False
    """A tool call waits for a budget."""
    overrun: int = 0
    """The turn that may be finished over budget."""


BudgetEvent = (
    e.SessionCreated
    | e.BudgetChanged
    | e.AgentHeld
    | e.AgentExited
    | e.TurnFinished
    | e.SessionFailed
)


def fold(budget: Budget, event: BudgetEvent, after: Conversations) -> Budget:
    """`after` are the session's conversations after the event."""
    is_main = event.conversation == MAIN
    match event:
        case e.TurnFinished() | e.AgentExited():
            return replace(budget, held=budget.held and not is_main and any_in_turn(after))
        case e.SessionFailed():
            return replace(budget, held=budget.held and (is_main or any_in_turn(after)))
        case e.AgentHeld():
            return replace(budget, held=event.on)
        case e.BudgetChanged():
            return _changed(budget, event)
        case e.SessionCreated():
            return replace(budget, usd=event.budget_usd, minutes=event.budget_minutes)
        case _:
            assert_never(event)


def raise_key(scope: str, unit: str) -> str:
    """Under which a session counts the raises of one budget."""
    return f"{scope} {unit}"


def raises_wanted(spent: float, allowed: float, each: float) -> int:
    """By how many times the sum must be raised for anything to be left."""
    return int((spent - allowed) / each) + 1 if each > 0 and spent > allowed else 1


def settled(budget: Budget, item: Attention, answer: Resolution, main: Conversation) -> Budget:
    """After a person's answer, if it is about a budget."""
    match item.kind == "budget" and answer.option:
        case "raise":
            return replace(budget, raises=_raised(budget, item))
        case "finish":
            return replace(budget, overrun=main.turn)
        case "stop" if not main.in_turn:
            # What works in other conversations has no turn of ours to be halted by.
            return replace(budget, held=False)
        case _:
            return budget


def _raised(budget: Budget, item: Attention) -> dict[str, int]:
    about = item.detail
    key = raise_key(str(about.get("scope", "session")), str(about.get("unit", "usd")))
    spent, allowed, each = (float(about.get(n, 0.0)) for n in ("spent", "allowed", "each"))
    return {**budget.raises, key: budget.raises.get(key, 0) + raises_wanted(spent, allowed, each)}


def _changed(budget: Budget, event: e.BudgetChanged) -> Budget:
    """What is set anew is what holds: a raise was of the sum that was there before."""
    same = {"usd": event.usd == budget.usd, "minutes": event.minutes == budget.minutes}
    over = {raise_key("session", unit) for unit in same if not same[unit]}
    left = {key: times for key, times in budget.raises.items() if key not in over}
    return replace(budget, usd=event.usd, minutes=event.minutes, raises=left)


class Spent(msgspec.Struct, frozen=True, omit_defaults=True):
    usd: float = 0.0
    seconds: float = 0.0


class Spending(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    usd: float = 0.0
    estimated_usd: float = 0.0
    """How much of it is reckoned from a table of prices."""
    tokens_in: int = 0
    tokens_out: int = 0
    days: dict[str, Spent] = {}
    running_since: Instant = ""
    """Since when the agent has been at work without waiting for a person."""


MOST_USD = 1e12


def added(usd: float, more: float) -> float:
    """Whatever an agent reports, a sum stays a number that can be kept."""
    return max(-MOST_USD, min(usd + more, MOST_USD))


def fold_spending(spending: Spending, event: e.UsageRecorded) -> Spending:
    return Spending(
        usd=added(spending.usd, event.cost_usd),
        estimated_usd=added(spending.estimated_usd, event.cost_usd if event.estimated else 0.0),
        tokens_in=spending.tokens_in + event.tokens_in,
        tokens_out=spending.tokens_out + event.tokens_out,
        days=_on_day(spending, event.at, usd=event.cost_usd),
        running_since=spending.running_since,
    )


def timed(spending: Spending, runs: bool, at: Instant) -> Spending:
    """An agent began to work, or stopped: time counts while it does and waits for nobody."""
    if runs:
        return replace(spending, running_since=at)
    days = _on_day(spending, at, seconds=seconds_between(spending.running_since, at))
    return replace(spending, running_since="", days=days)


def jumped(spending: Spending, seconds: float) -> Spending:
    """The wall clock went on, the work did not."""
    try:
        since = later(spending.running_since, seconds)
    except (ValueError, OverflowError):  # it does not run, or the jump is none that can be
        return spending
    return replace(spending, running_since=since)


def _on_day(
    spending: Spending, at: Instant, *, usd: float = 0.0, seconds: float = 0.0
) -> dict[str, Spent]:
    """The days after so much more was spent on that of `at`."""
    spent = spending.days.get(at[:10], Spent())
    return {**spending.days, at[:10]: Spent(added(spent.usd, usd), spent.seconds + seconds)}
