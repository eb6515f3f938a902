"""The part of the fold that a session's budget makes: raised, overrun, set anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manyhands.model import events as e
from manyhands.model.attention import Attention

if TYPE_CHECKING:
    from manyhands.model.session import Session

Change = dict[str, object]


def raise_key(scope: str, unit: str) -> str:
    """Under which a session counts the raises of one budget."""
    return f"{scope} {unit}"


def raises_wanted(spent: float, allowed: float, each: float) -> int:
    """By how many times the sum must be raised for anything to be left."""
    return int((spent - allowed) / each) + 1 if each > 0 and spent > allowed else 1


def answered(s: Session, item: Attention, ev: e.AttentionResolved) -> Change:
    match ev.resolution.option:
        case "raise":
            return {"raises": _raised(s, item)}
        case "finish":
            return {"overrun": s.turn}
        case "stop":
            # What works beside the main conversation has no turn of ours to be halted by.
            return {"halted": True} if s.in_turn else {"halted": True, "held": False}
    return {}


def _raised(s: Session, item: Attention) -> dict[str, int]:
    about = item.detail
    key = raise_key(str(about.get("scope", "session")), str(about.get("unit", "usd")))
    spent, allowed, each = (float(about.get(n, 0.0)) for n in ("spent", "allowed", "each"))
    return {**s.raises, key: s.raises.get(key, 0) + raises_wanted(spent, allowed, each)}


def changed(s: Session, ev: e.BudgetChanged) -> Change:
    """What is set anew is what holds: a raise was of the sum that was there before."""
    same = {"usd": ev.usd == s.budget_usd, "minutes": ev.minutes == s.budget_minutes}
    over = {raise_key("session", unit) for unit in same if not same[unit]}
    left = {key: times for key, times in s.raises.items() if key not in over}
    return {"budget_usd": ev.usd, "budget_minutes": ev.minutes, "raises": left}
