"""Attention: an open item without which an agent cannot go on, or a person must know."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from manyhands.errors import BadInput
from manyhands.model.clock import Instant
from manyhands.model.ids import MAIN, AttentionId, ConversationId, SessionId

Kind = Literal[
    "plan",
    "permission",
    "question",
    "budget",
    "limit",
    "setup_failed",
    "agent_died",
    "trust",
    "stray_edit",
    "bell",
    "conflict",
    "landing",
    "issues",
]
BLOCKING: tuple[Kind, ...] = (
    "permission",
    "question",
    "plan",
    "budget",
    "trust",
    "agent_died",
    "setup_failed",
)
"""Most blocking first: a permission stops a running turn, a plan stops only what comes next."""


NOTICES: tuple[Kind, ...] = ("stray_edit", "bell", "conflict", "landing", "issues")
"""What a person must know and no agent waits for."""


class Option(msgspec.Struct, frozen=True):
    id: str
    label: str


class Resolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """How an item was settled: the chosen options, and words where they were given."""

    options: tuple[str, ...] = ()
    text: str = ""
    by: str = "human"
    rule: str = ""
    pattern: str = ""
    """For a standing permission: its kind, and what it covers; else exactly this call."""

    @property
    def option(self) -> str:
        return self.options[0] if self.options else ""


class Attention(msgspec.Struct, frozen=True, kw_only=True):
    id: AttentionId
    session: SessionId
    conversation: ConversationId = MAIN
    kind: Kind
    summary: str
    detail: dict[str, Any] = {}
    options: tuple[Option, ...] = ()
    raised_at: Instant
    resolved_at: Instant | None = None
    resolution: Resolution | None = None
    snoozed_until: Instant | None = None

    def awake(self, at: Instant) -> bool:
        """Whether a person wants to hear of it now."""
        return not self.snoozed_until or self.snoozed_until <= at

    @property
    def takes_several(self) -> bool:
        """Whether an answer may name more than one option."""
        return self.kind == "question" or "proposal" in self.detail

    def settled(self, resolution: Resolution, at: Instant) -> Attention:
        return msgspec.structs.replace(self, options=(), resolved_at=at, resolution=resolution)


PERMISSION_OPTIONS = (
    Option("allow", "Allow once"),
    Option("allow-session", "Allow for this session"),
    Option("allow-repo", "Allow in this repository"),
    Option("deny", "Deny"),
)
PLAN_OPTIONS = (
    Option("approve", "Approve, accept edits"),
    Option("approve-ask", "Approve, ask before edits"),
    Option("approve-auto", "Approve, allow everything inside"),
    Option("revise", "Revise"),
    Option("hand-over", "Hand to a fresh session"),
)
LIMIT_OPTIONS = (Option("retry", "Try again now"), Option("skip", "Leave it stopped"))
SETUP_OPTIONS = (Option("retry", "Try again from there"), Option("skip", "Go on without it"))
TRUST_OPTIONS = (Option("trust", "Trust this content"), Option("deny", "Do not run it"))
GONE_OPTIONS = (Option("restore", "Bring it back"), Option("seen", "Leave it"))
SEEN_OPTIONS = (Option("seen", "Seen"),)
DIED_OPTIONS = (Option("retry", "Resume"), Option("skip", "Leave it stopped"))


def budget_options(more: str) -> tuple[Option, ...]:
    return (
        Option("raise", more),
        Option("finish", "Finish this turn"),
        Option("stop", "Stop here"),
    )


def question_options(questions: list[dict[str, Any]]) -> tuple[Option, ...]:
    """One option per choice, ``q<question>.<choice>``, both counted from one."""
    return tuple(
        Option(f"q{q}.{c}", str(choice.get("label", "")))
        for q, question in enumerate(questions, 1)
        for c, choice in enumerate(question.get("options", ()), 1)
    )


def require_resolution(item: Attention, resolution: Resolution) -> Resolution:
    """The resolution with labels turned into option ids; raises where it does not fit the item."""
    by_id = {o.id: o.id for o in item.options}
    by_label = {o.label.casefold(): o.id for o in item.options}
    chosen = []
    for name in resolution.options:
        found = by_id.get(name) or by_label.get(name.casefold())
        if found is None:
            offered = ", ".join(f"{o.id} ({o.label})" for o in item.options)
            raise BadInput(f"{name!r} is no option of this {item.kind}", hint=f"offered: {offered}")
        chosen.append(found)
    if not chosen and not (item.kind == "question" and resolution.text):
        raise BadInput(
            f"an answer to a {item.kind} needs one of its options",
            hint="offered: " + ", ".join(o.id for o in item.options),
        )
    if not item.takes_several and len(chosen) > 1:
        raise BadInput(f"a {item.kind} takes one option, not {len(chosen)}")
    return msgspec.structs.replace(resolution, options=tuple(chosen))


def takes(item: Attention, resolution: Resolution) -> bool:
    """Whether the item can be settled by it."""
    try:
        require_resolution(item, resolution)
    except BadInput:
        return False
    return True


def snoozed(items: tuple[Attention, ...], id: AttentionId, until: Instant) -> tuple[Attention, ...]:
    put_off = {"snoozed_until": until or None}
    return tuple(msgspec.structs.replace(i, **put_off) if i.id == id else i for i in items)


def urgency(item: Attention) -> tuple[int, str]:
    """Sort key of the inbox: most blocking, then oldest."""
    rank = BLOCKING.index(item.kind) if item.kind in BLOCKING else len(BLOCKING)
    return (rank, item.raised_at)


def tells_of_gone(item: Attention) -> bool:
    """Whether it is about the session's own worktree, which is not there or not whole."""
    return item.kind == "stray_edit" and "gone" in item.detail
