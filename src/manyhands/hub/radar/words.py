"""What is said about two sides in each other's way: events, the item, a message ready to send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from manyhands.contract.sessions import Words
from manyhands.hub.core import fresh_item
from manyhands.hub.fleet.say import message_of
from manyhands.hub.radar.precedence import CONFLICT, Precedence, advice, announcement, precedence
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Option, Resolution
from manyhands.model.ids import SessionId
from manyhands.model.radar.events import Clash, Clashes, ConflictChanged, Lines, Meet, Span
from manyhands.model.session.session import Session

MOST_PATHS = 100
MOST_SAID = 12
AGREE = "they are not in each other's way any more"
SEEN = Option("seen", "I have seen it")


def collision(s: Session, other: Session | None, base: str) -> ConflictChanged | None:
    """What is on record for the pair."""
    key = (other.id if other else "", base)
    return next((c for c in s.collisions if (c.other, c.base) == key), None)


@dataclass(frozen=True)
class Pair:
    """A session, and the other one or the base that it meets."""

    s: Session
    other: Session | None
    base: str = ""
    rewritten: bool = False
    """Whether the base has not even what the session started from any more."""


def changed(pair: Pair, clashes: Clashes, began: str) -> Iterator[e.AnyEvent]:
    """Everything that follows where the pair meets otherwise than is on record."""
    s, other = pair.s, pair.other
    meets = tuple(Meet(c.path, c.kind, c.reason) for c in clashes[:MOST_PATHS])
    known = collision(s, other, pair.base)
    was, now = _is_conflict(known.paths if known else ()), _is_conflict(meets)
    kept = known.first if known and was else SessionId("")
    order = precedence(s, other, began, kept) if other and now else None
    first = order.first.id if order else SessionId("")
    if meets == (known.paths if known else ()) and first == kept:
        return
    yield ConflictChanged(
        session=s.id,
        turn=s.main.turn,
        other=other.id if other else SessionId(""),
        base=pair.base,
        paths=meets,
        first=first,
        suggestion=_suggestion(pair, order) if now else "",
    )
    if was and (not now or first != kept):
        yield from _gone(s, other, pair.base, AGREE if not now else "the other lands first now")
    if now and (not was or first != kept):
        later = order.later if order else s
        # The lines of the one that is told come second.
        seen = clashes if later is other else tuple(map(_turned, clashes))
        item = _item(later, pair, order, seen)
        yield e.AttentionRaised(session=later.id, turn=later.main.turn, item=item)


def _turned(clash: Clash) -> Clash:
    return msgspec.structs.replace(clash, lines=Lines(clash.lines.b, clash.lines.a))


def _is_conflict(paths: Sequence[Meet]) -> bool:
    return any(p.kind == CONFLICT for p in paths)


def _suggestion(pair: Pair, order: Precedence | None) -> str:
    if order is not None:
        return advice(order)
    how = "was rewritten" if pair.rewritten else "has moved"
    return f"{pair.base} {how}: bring it in with `manyhands update {pair.s.slug}`"


def _item(later: Session, pair: Pair, order: Precedence | None, clashes: Clashes) -> Attention:
    paths = [c for c in clashes if c.kind == CONFLICT]
    first = order.first if order else None
    name = first.slug if first else pair.base
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    detail = {
        "sessions": sorted([later.id, *([first.id] if first else [])]),
        "base": pair.base,
        "paths": [c.path for c in paths[:MOST_PATHS]],
        "first": first.id if first else "",
        "suggestion": _suggestion(pair, order),
        "text": _message(pair, order, paths),
    }
    summary = f"{later.slug} and {name} conflict in {paths[0].path}{more}"
    options = (Option("tell", f"Tell {later.slug} now"), SEEN)
    return fresh_item(later, "conflict", summary, detail, options)


def _message(pair: Pair, order: Precedence | None, clashes: Sequence[Clash]) -> str:
    """For the agent of the one that is told."""
    listed = "\n".join(f"- {_where(c)}" for c in clashes[:MOST_SAID])
    rest = f"\n- and {len(clashes) - MOST_SAID} more" if len(clashes) > MOST_SAID else ""
    if order is None:
        return (
            f"{_base_news(pair)} here:\n{listed}{rest}\nIt will be brought into your worktree; "
            "until then, leave these places alone where your task allows it."
        )
    how, outlook = announcement(order)
    return (
        f"{how}\n{listed}{rest}\n{outlook} "
        "Keep your changes out of these places where your task allows it; where it does not, "
        "keep them small and separate, and say at the end which of them will have to be merged."
    )


def _base_news(pair: Pair) -> str:
    if pair.rewritten:
        return (
            f"The branch {pair.base} was rewritten: what you started from is not part of it any "
            "more. What your worktree holds conflicts with it"
        )
    return (
        f"The branch {pair.base} that you started from has moved, and your changes conflict with it"
    )


def _where(clash: Clash) -> str:
    mine, theirs = _spans(clash.lines.b), _spans(clash.lines.a)
    lines = f", your lines {mine}, theirs {theirs}" if mine and theirs else ""
    return f"{clash.path} ({clash.reason or 'conflict'}{lines})"


def _spans(spans: Sequence[Span]) -> str:
    shown = (str(a) if b <= a else f"{a}–{b}" for a, b in spans[:5])
    return ", ".join(shown) + (", …" if len(spans) > 5 else "")


def _gone(s: Session, other: Session | None, base: str, why: str) -> Iterator[e.AnyEvent]:
    """The items of the pair settle themselves."""
    pair = sorted([s.id, *([other.id] if other else [])])
    for holder in (s, other):
        for item in holder.inbox.items if holder else ():
            about = item.detail.get("sessions"), item.detail.get("base")
            if holder and item.kind == "conflict" and about == (pair, base):
                done = Resolution(options=("gone",), text=why, by="hub")
                yield e.AttentionResolved(session=holder.id, item=item.id, resolution=done)


def after_answer(s: Session, item: Attention, settled: Resolution) -> e.AnyEvent:
    """The message that a person chose to send."""
    return message_of(s, Words(text=settled.text or item.detail["text"]))
