"""From the repository to the twin: run where the twin is used, never written from here."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

import msgspec

from manyhands.errors import NotPossible
from manyhands.git.repository import Mark, file_mark, is_resting
from manyhands.git.twin import staging
from manyhands.git.twin.bringing import EMPTY_TREE, TwinSides
from manyhands.git.twin.given import GivenRefs, as_raw, as_text, set_later
from manyhands.git.twin.moving import Move, move_refs
from manyhands.git.twin.pins import pin
from manyhands.git.twin.staging import Difference
from manyhands.git.twin.users_refs import find_packed, load_refs, loose_refs

REASON = "manyhands: moved outside the box"
_OID = re.compile(rb"[0-9a-f]{64}|[0-9a-f]{40}")


def hand_branch(sides: TwinSides) -> None:
    """The branch there to where it is here; what it needs is pinned first."""
    place = sides.place
    pin(place.worktree, place.pins, [sides.here.encode()])
    name = "HEAD" if sides.state.branch == place.head else place.head
    move_refs(sides.inside, [Move(name, sides.here, sides.there or None)], REASON)
    move_refs(sides.git, [Move(place.synced, sides.here)])


def hand_index(sides: TwinSides, tip: str, wanted: Difference) -> int:
    sparse = (sides.found.git_dir / "info/sparse-checkout").exists()
    skipped = staging.load_skipped(sides.git) if sparse else frozenset()
    return staging.follow(sides.inside, None, tip or EMPTY_TREE, wanted, skipped)


class HandedRefs(msgspec.Struct, frozen=True):
    """What the user's refs were like when all of them had been handed out."""

    packed: Mark
    loose: dict[str, str]


def hand_refs(sides: TwinSides, given: GivenRefs) -> int:
    """The user's refs that moved here, where nobody has moved them there; how many.

    Thousands of packed refs take their time to be read, so it is noted which file they were in.
    """
    common, note = sides.found.common_dir, sides.place.beside("handed")
    mark = file_mark(common / "packed-refs")
    rested = is_resting([mark])
    loose = {name: oid for name, oid in loose_refs(common) if _OID.fullmatch(oid)}
    seen = _load_handed(note)
    if seen is not None and seen.packed == mark:
        now = _now_of_few(common, seen, loose)
        names = {name for name in now if given.oid(name) != now[name]}
        values = {name: oid for name in names if (oid := now[name])}
    else:
        before, values = given.all(), dict(load_refs(common).oids)
        names = {n for n in {*before, *values} if before.get(n) != values.get(n)}
    names.discard(os.fsencode(sides.place.head))
    left = _hand(sides, given, names, values) if names else 0
    if rested and left == 0:
        told = {as_text(name): oid.decode() for name, oid in loose.items()}
        note.write_bytes(msgspec.json.encode(HandedRefs(mark, told)))
    return len(names) - left


def _load_handed(note: Path) -> HandedRefs | None:
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(note.read_bytes(), type=HandedRefs)
    return None


def _now_of_few(
    common: Path, seen: HandedRefs, loose: dict[bytes, bytes]
) -> dict[bytes, bytes | None]:
    """Where those refs are that are not in the packed file alone, or were not then."""
    names = {*map(as_raw, seen.loose), *loose}
    changed = [n for n in names if seen.loose.get(as_text(n)) != loose.get(n, b"").decode()]
    if not changed:
        return {}
    packed = b""
    with suppress(FileNotFoundError):
        packed = (common / "packed-refs").read_bytes()
    return {name: loose.get(name) or find_packed(packed, name) for name in changed}


def _hand(sides: TwinSides, given: GivenRefs, names: set[bytes], now: dict[bytes, bytes]) -> int:
    """How many could not be handed out."""
    moves, later, left = [], dict(given.later), 0
    for name in sorted(names):
        old, new = given.oid(name), now.get(name)
        there = sides.state.oid(os.fsdecode(name)).encode() or None
        if there not in (old, new) or _is_in_the_way(name, sides):
            left += 1
            continue
        later[name] = new or b""
        if there != new:
            was = there.decode() if there else None
            moves.append(Move(os.fsdecode(name), (new or b"").decode(), was))
    pin(
        sides.place.worktree,
        sides.place.pins,
        [now[name] + b"^{}" for name in names if name in now],
    )
    try:
        move_refs(sides.inside, moves, REASON)
    except NotPossible:
        return len(names)  # one of them moved meanwhile: seen next time
    set_later(sides.place, later)
    return left


def _is_in_the_way(name: bytes, sides: TwinSides) -> bool:
    """Whether a ref there has a name that is the beginning of this one, or begins with it."""
    text = os.fsdecode(name)
    parts = text.split("/")
    above = ("/".join(parts[:n]) for n in range(3, len(parts)))
    return any(sides.state.oid(one) for one in above) or any(
        other.startswith(f"{text}/") for other in sides.state.changed
    )
