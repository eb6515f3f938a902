"""Attention: settled, put off, told; the standing rules and the audit of decisions."""

from __future__ import annotations

from typing import Annotated

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.envelope import Asker
from manyhands.model.events import RuleKind
from manyhands.model.ids import SessionId


class Settling(msgspec.Struct, forbid_unknown_fields=True):
    options: tuple[str, ...] = ()
    text: str = ""
    item: str = ""
    rule: RuleKind | None = None
    pattern: str = ""


LONGEST_SNOOZE = 30 * 24 * 60


class Snoozing(msgspec.Struct, forbid_unknown_fields=True):
    minutes: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_SNOOZE)] = 60


class Delivered(msgspec.Struct, frozen=True):
    channel: str
    ok: bool
    detail: str = ""


class RuleView(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    tool: str
    kind: RuleKind
    pattern: str
    repo: str = ""
    session: SessionId = SessionId("")
    """Of this session alone; empty where it holds in the whole repository."""


class NewRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tool: str
    kind: RuleKind = "call"
    pattern: str = ""
    repo: str = ""
    session: str = ""


class RuleName(msgspec.Struct, forbid_unknown_fields=True):
    id: str


class AuditLine(msgspec.Struct, frozen=True, kw_only=True):
    at: Instant
    turn: int
    by: str
    """`human`, `hub`, `mode` or `rule`."""
    decision: str
    tool: str
    what: str
    rule: str
    conversation: str
    asked_by: Asker | None = None
    """Who that human was, as far as the hub saw."""
