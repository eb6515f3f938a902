"""What is said about two sides in each other's way: events, the item, a message ready to send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from manyhands.contract.sessions import Words
from manyhands.hub.core import fresh_item
from manyhands.hub.fleet.say import message_of
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Option, Resolution
from manyhands.model.ids import SessionId
from manyhands.model.radar.events import Clash, Clashes, ConflictChanged, Lines, Meet, Span
from manyhands.model.session.session import Session

MOST_PATHS = 100
MOST_SAID = 12
SEEN = Option("seen", "I have seen it")


def collision(s: Session, other: Session | None, base: str) -> ConflictChanged | None:
    """What is on record for the pair."""
    key = (other.id if other else "", base)
    return next((c for c in s.collisions if (c.other, c.base) == key), None)


def changed(
    s: Session, other: Session | None, base: str, clashes: Clashes, first: str
) -> Iterator[e.AnyEvent]:
    """Everything that follows where the pair meets otherwise than is on record."""
    meets = tuple(Meet(c.path, c.kind, c.reason) for c in clashes[:MOST_PATHS])
    known = collision(s, other, base)
    if meets == (known.paths if known else ()):
        return
    was, now = _is_conflict(known.paths if known else ()), _is_conflict(meets)
    starter = known.first if known and was and now else SessionId(first if other else "")
    later = other if other and starter == s.id else s
    yield ConflictChanged(
        session=s.id,
        turn=s.main.turn,
        other=other.id if other else SessionId(""),
        base=base,
        paths=meets,
        first=starter if now else SessionId(""),
        suggestion=suggestion(s, other, base, starter) if now else "",
    )
    if now and not was:
        # The lines of the one that is told come second.
        seen = clashes if later is other else tuple(map(_turned, clashes))
        item = _item(later, s if later is other else other, base, seen)
        yield e.AttentionRaised(session=later.id, turn=later.main.turn, item=item)
    elif was and not now:
        yield from _gone(s, other, base)


def _turned(clash: Clash) -> Clash:
    return msgspec.structs.replace(clash, lines=Lines(clash.lines.b, clash.lines.a))


def _is_conflict(paths: Sequence[Meet]) -> bool:
    return any(p.kind == "conflict" for p in paths)


def suggestion(s: Session, other: Session | None, base: str, first: str) -> str:
    if other is None:
        return f"{base} has moved: bring it in with `manyhands update {s.slug}`"
    one, two = (s, other) if first == s.id else (other, s)
    return (
        f"land {one.slug} first, it began there (`manyhands merge {one.slug}`), and tell "
        f"{two.slug} now; afterwards `manyhands update {two.slug}`"
    )


def _item(later: Session, other: Session | None, base: str, clashes: Clashes) -> Attention:
    paths = [c for c in clashes if c.kind == "conflict"]
    name = other.slug if other else base
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    first = other.id if other else ""
    detail = {
        "sessions": sorted([later.id, *([other.id] if other else [])]),
        "base": base,
        "paths": [c.path for c in paths[:MOST_PATHS]],
        "first": first,
        "suggestion": suggestion(later, other, base, first),
        "text": _message(other, base, paths),
    }
    summary = f"{later.slug} and {name} conflict in {paths[0].path}{more}"
    options = (Option("tell", f"Tell {later.slug} now"), SEEN)
    return fresh_item(later, "conflict", summary, detail, options)


def _message(other: Session | None, base: str, clashes: Sequence[Clash]) -> str:
    """For the agent of the one that came later."""
    listed = "\n".join(f"- {_where(c)}" for c in clashes[:MOST_SAID])
    rest = f"\n- and {len(clashes) - MOST_SAID} more" if len(clashes) > MOST_SAID else ""
    if other is None:
        return (
            f"The branch {base} that you started from has moved, and your changes conflict with "
            f"it here:\n{listed}{rest}\nIt will be brought into your worktree; until then, leave "
            "these places alone where your task allows it."
        )
    return (
        f"Another agent, on the task “{other.title}” (branch {other.workspace.branch}), began to "
        f"change the same places before you:\n{listed}{rest}\nIts work is going to land first. "
        "Keep your changes out of these places where your task allows it; where it does not, "
        "keep them small and separate, and say at the end which of them will have to be merged."
    )


def _where(clash: Clash) -> str:
    mine, theirs = _spans(clash.lines.b), _spans(clash.lines.a)
    lines = f", your lines {mine}, theirs {theirs}" if mine and theirs else ""
    return f"{clash.path} ({clash.reason or 'conflict'}{lines})"


def _spans(spans: Sequence[Span]) -> str:
    shown = (str(a) if b <= a else f"{a}–{b}" for a, b in spans[:5])
    return ", ".join(shown) + (", …" if len(spans) > 5 else "")


def _gone(s: Session, other: Session | None, base: str) -> Iterator[e.AnyEvent]:
    """The items of the pair settle themselves."""
    pair = sorted([s.id, *([other.id] if other else [])])
    for holder in (s, other):
        for item in holder.inbox.items if holder else ():
            about = item.detail.get("sessions"), item.detail.get("base")
            if holder and item.kind == "conflict" and about == (pair, base):
                done = Resolution(options=("gone",), text="they merge clean now", by="hub")
                yield e.AttentionResolved(session=holder.id, item=item.id, resolution=done)


def after_answer(s: Session, item: Attention, settled: Resolution) -> e.AnyEvent:
    """The message that a person chose to send."""
    return message_of(s, Words(text=settled.text or item.detail["text"]))
