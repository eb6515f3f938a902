"""What a person is told of a loss in what worktrees share, and how it comes back."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from manyhands.hub.core import fresh_item
from manyhands.model.attention.attention import Attention, Option
from manyhands.model.redaction import Redactor
from manyhands.model.session.session import Session
from manyhands.station.shared import LostShare, ShareChange, stash_commands

OPTIONS = (Option("restore", "Bring it back"), Option("seen", "It was me"))
SEEN = (Option("seen", "I have seen it"),)
MOST_NAMED = 3
MOST_SHOWN = 50
LONGEST = 200
_SECRET = re.compile(r"header|token|passw|secret|cookie|auth|helper", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(://)[^/\s@]+@")


def publishable(lost: LostShare) -> LostShare:
    """Without what a setting may hold of passwords: items are stored for ever."""
    changes = [
        msgspec.structs.replace(c, before=_value(c.name, c.before), now=_value(c.name, c.now))
        if c.kind == "config"
        else c
        for c in lost.changes
    ]
    return msgspec.structs.replace(lost, changes=tuple(changes))


def lost_item(workers: Sequence[Session], lost: LostShare, way_back: Sequence[str]) -> Attention:
    """In the last one's name who worked meanwhile; all are named."""
    s = workers[-1]
    who = ", ".join(sorted(w.slug for w in workers))
    things = [_thing(change) for change in lost.changes]
    named = ", ".join(things[:MOST_NAMED])
    more = f" and {len(things) - MOST_NAMED} more" if len(things) > MOST_NAMED else ""
    detail = {
        "place": s.repo,
        "worked": sorted(w.slug for w in workers),
        "text": "\n".join(map(_line, lost.changes[:MOST_SHOWN])),
        "lost": msgspec.to_builtins(lost),
        "way_back": list(way_back[:MOST_SHOWN]),
    }
    summary = f"{named}{more} changed for all worktrees while {who} worked"
    return fresh_item(s, "stray_edit", summary, detail, OPTIONS)


def left_item(s: Session, left: Sequence[ShareChange]) -> Attention:
    many = "an entry" if len(left) == 1 else f"{len(left)} entries"
    detail = {
        "place": s.repo,
        "text": "\n".join(f"stash: {entry.name}" for entry in left),
        "stash": [entry.now for entry in left],
        "way_back": stash_commands(s.repo, s.workspace.worktree, list(left)),
    }
    summary = f"{s.slug} left {many} on the stash that all worktrees share: {left[0].name}"
    return fresh_item(s, "stray_edit", summary, detail, SEEN)


def unreadable_item(s: Session, problem: str) -> Attention:
    detail = {
        "place": s.repo,
        "text": f"{problem}\nUntil that is mended, the loss of a branch, tag or stash entry would "
        "not be noticed. It is tried again by itself; `manyhands doctor` tries at once.",
        "unkept": True,
    }
    summary = f"what the worktrees of {s.repo} share could not be kept"
    return fresh_item(s, "stray_edit", summary, detail, SEEN)


def _thing(change: ShareChange) -> str:
    match change.kind:
        case "config":
            return f"the setting {change.name}"
        case "stash":
            return f"the stash entry “{change.name}”"
        case _:
            how = "moved" if change.now else "deleted"
            return f"the {change.kind} {change.name} ({how})"


def _line(change: ShareChange) -> str:
    match change.kind:
        case "config":
            return f"{change.name}: {change.before} → {change.now}"
        case "stash":
            return f"stash entry dropped: {change.name} ({change.before[:12]})"
        case _ if change.now:
            return f"{change.kind} {change.name}: {change.before[:12]} → {change.now[:12]}"
        case _:
            return f"{change.kind} {change.name} deleted; it was at {change.before[:12]}"


def _value(name: str, value: str) -> str:
    """A setting may hold a password."""
    if not value:
        return "(unset)"
    if _SECRET.search(name):
        return "…"
    return Redactor().text(_IN_ADDRESS.sub(r"\1…@", value))[:LONGEST]
