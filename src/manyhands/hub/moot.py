"""Items that nobody needs to answer any more: moot by what happened since, or told twice. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.config import Settings
from manyhands.hub.budgets import Totals, is_used_up
from manyhands.model import events as e
from manyhands.model.attention import Attention, Resolution
from manyhands.model.session import Session

AWAITED = ("plan", "permission", "question")
"""An agent waits for each of these by itself, even if two read the same."""


def moot(s: Session, settings: Settings, totals: Totals) -> Iterator[e.AnyEvent]:
    kept: list[Attention] = []
    for item in reversed(s.attention):
        why = _reason(s, item) or _allowed_again(s, item, settings, totals) or _repeated(item, kept)
        if why:
            over = Resolution(text=why, by="hub")
            yield e.AttentionResolved(session=s.id, at=totals.at, item=item.id, resolution=over)
        else:
            kept.append(item)


def _reason(s: Session, item: Attention) -> str:
    match item.kind:
        case "bell" if not s.unread or s.undelivered:
            return "seen"
        case "agent_died" if not s.broken and (s.undelivered or s.in_turn):
            return "the session goes on"
        case "limit" if s.limit is None:
            return "the session goes on"
        case "setup_failed" if s.setup in ("done", "reused", "skipped"):
            return "the setup is done"
        case _:
            return ""


def _allowed_again(s: Session, item: Attention, settings: Settings, totals: Totals) -> str:
    """A budget was raised elsewhere, or its day is over."""
    if item.kind != "budget" or is_used_up(s, item, settings, totals):
        return ""
    return "there is budget again"


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
