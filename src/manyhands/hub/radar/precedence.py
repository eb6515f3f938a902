"""Of two sessions in each other's way: who lands first, why, and what that asks of both; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from manyhands.model.ids import SessionId
from manyhands.model.radar.events import ClashKind
from manyhands.model.session.session import Session

Why = Literal["below", "ready", "began", ""]
"""The other builds upon it; the other has to be updated before it can land; it began there."""
CONFLICT: ClashKind = "conflict"


@dataclass(frozen=True)
class Precedence:
    first: Session
    later: Session
    why: Why = ""


def precedence(s: Session, other: Session, began: str, kept: SessionId) -> Precedence:
    """`began` is who touched the place first, `kept` who was said to be first, if anybody was."""
    for first, later in ((s, other), (other, s)):
        if later.workspace.base == first.workspace.branch != "":
            return Precedence(first, later, "below")
    if is_stuck(s) != is_stuck(other):
        return Precedence(*((other, s) if is_stuck(s) else (s, other)), "ready")
    first, later = (other, s) if (kept or began) == other.id else (s, other)
    return Precedence(first, later, "began" if began == first.id else "")


def is_stuck(s: Session) -> bool:
    """Whether it is in conflict with its own base, and cannot land as it is."""
    return any(c.base and any(p.kind == CONFLICT for p in c.paths) for c in s.collisions)


def advice(found: Precedence) -> str:
    first, later = found.first, found.later
    update = f"`manyhands update {later.slug}`"
    if found.why == "below":
        return (
            f"{later.slug} builds upon {first.slug}: tell {later.slug} now; what {first.slug} "
            f"commits comes to it by {update}"
        )
    if found.why == "ready":
        base = later.workspace.base
        return f"{_landing(first)}: {later.slug} has to take {base} in anyway, by {update}"
    began = ", it began there" if found.why == "began" else ""
    return f"{_landing(first, began)}, and tell {later.slug} now; {_afterwards(found, update)}"


def _landing(first: Session, why: str = "") -> str:
    if first.workspace.in_place:
        return f"commit {first.slug} first{why} (`manyhands commit {first.slug}`)"
    return f"land {first.slug} first{why} (`manyhands merge {first.slug}`)"


def _afterwards(found: Precedence, update: str) -> str:
    bases = (found.first.workspace.base, found.later.workspace.base)
    if bases[0] == bases[1]:
        return f"afterwards {update}"
    return f"they meet where {bases[0]} and {bases[1]} do"


def announcement(found: Precedence) -> tuple[str, str]:
    """For the agent of the later one: how the other is in its way, and what becomes of that."""
    first = found.first
    who = f"on the task “{first.title}” (branch {first.workspace.branch})"
    if found.why == "below":
        return (
            f"The agent {who}, upon whose work you build, is changing the same places as you:",
            "What it does will come to you with your base.",
        )
    does = "began to change the same places before you" if found.why == "began" else ""
    return (
        f"Another agent, {who}, {does or 'changes the same places as you'}:",
        "Its work is going to land first.",
    )
