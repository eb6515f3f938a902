"""Which way work goes between a worktree's two git directories, and that it goes only one way.

The tip that both had last is on record. Only one moved since: the other follows. Both moved: the
one that has all of the other wins, else they are *diverged*, nothing moves, and both are kept. Of
equal tips the index follows, that of the twin unless only the one here changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from manyhands.errors import NotPossible
from manyhands.git import refs
from manyhands.git.locks import file_lock
from manyhands.git.runner import Git
from manyhands.git.twin import bringing, handing, staging
from manyhands.git.twin.bringing import EMPTY_TREE, TwinSides, load_sides
from manyhands.git.twin.given import load_given
from manyhands.git.twin.moving import Move, move_refs
from manyhands.git.twin.operations import hand_operation
from manyhands.git.twin.place import Synced, Twin, Way
from manyhands.git.twin.seen import TwinLook, load_seen, look_at, rests, set_seen
from manyhands.git.twin.staging import Difference
from manyhands.model.quoting import quoted

_Turn = Literal["in", "out", "either"]


def sync(place: Twin, prefix: Sequence[str], *, everything: bool = False) -> Synced:
    """Whatever moved, on either side. `prefix` is what runs git where the twin is used."""
    return _sync(place, prefix, "either", everything)


def bring_in(place: Twin, prefix: Sequence[str], *, everything: bool = False) -> Synced:
    """What moved in the twin; with `everything` what only its logs remember, too."""
    return _sync(place, prefix, "in", everything)


def hand_out(place: Twin, prefix: Sequence[str]) -> Synced:
    """What moved here, the user's refs too."""
    return _sync(place, prefix, "out", False)


def _sync(place: Twin, prefix: Sequence[str], turn: _Turn, everything: bool) -> Synced:
    with file_lock(place.beside("lock")):
        seen = load_seen(place)
        now = look_at(place, refs.require_worktree(place.worktree))
        if _is_known(seen.look, now, turn) and not everything:
            return Synced(branch=place.branch)
        # Whoever only brings in looks at the twin alone, whatever others do meanwhile.
        looked = now if turn != "in" else TwinLook(now.twin_refs, now.twin_index)
        resting = looked if rests(looked) and turn != "out" else None
        sides = load_sides(place, prefix, load_given(place))
        if turn != "in" and hand_operation(sides):
            sides, resting = load_sides(place, prefix, load_given(place)), None
        syncing = _Syncing(sides, seen.staged, resting)
        done = syncing.run(turn)
        staging.shield_links(sides.git, sides.found.git_dir / "index")
        if everything and (ref := bringing.bring_everything(sides)):
            done = msgspec.structs.replace(done, kept=(*done.kept, ref))
        return done


def _is_known(seen: TwinLook | None, now: TwinLook, turn: _Turn) -> bool:
    if seen is None or turn == "out":
        return False
    mine = (seen.twin_refs, seen.twin_index)
    return mine == (now.twin_refs, now.twin_index) if turn == "in" else seen == now


class _Syncing:
    def __init__(self, sides: TwinSides, staged_before: str, resting: TwinLook | None) -> None:
        self.sides, self.place, self.resting = sides, sides.place, resting
        self.staged_before = staged_before

    def run(self, turn: _Turn) -> Synced:
        way = self._way()
        if way == "out" and turn == "in":
            return self._waits("the branch moved outside the box, which is handed out first")
        if way == "in" and turn == "out":
            return self._waits("the branch moved in the box, which is brought in first")
        if way == "diverged":
            return self._diverged()
        done = self._out() if way == "out" else self._in(moved=way == "in", alone=turn == "in")
        if done.way == "waits" or turn == "in":
            return done
        handed = handing.hand_refs(self.sides, load_given(self.place))
        if handed:
            set_seen(self.place, None, load_seen(self.place).staged)
            way_out = "out" if done.way == "same" else done.way
            done = msgspec.structs.replace(done, refs=handed, way=way_out)
        return done

    def _way(self) -> Literal["in", "out", "same", "diverged"]:
        here, there, synced = self.sides.here, self.sides.there, self.sides.synced
        if here == there or not there:
            return "same"
        if here == synced or not here:
            return "in"
        if there == synced:
            return "out"
        # Its objects are needed to tell, and are kept whatever comes of it.
        bringing.keep(self.sides, Difference())
        if refs.is_part_of(self.place.worktree, here, there):
            return "in"
        return "out" if refs.is_part_of(self.place.worktree, there, here) else "diverged"

    def _in(self, *, moved: bool, alone: bool) -> Synced:
        sides = self.sides
        tip = sides.there if moved else sides.here
        wanted = bringing.load_wanted(sides, tip)
        here = staging.load_staged(sides.git, tip or EMPTY_TREE) if not moved else None
        differs = here is None or here.digest != wanted.digest
        if here is not None and differs and self._only_here(tip, wanted) and sides.both_on_branch:
            return self._index_out(tip, here)
        kept = bringing.keep(sides, wanted)
        if here is not None and differs and self._is_new(tip, here):
            kept = (*kept, *filter(None, [bringing.keep_staged_here(sides)]))
        if moved or (sides.there and sides.there == sides.here):
            bringing.move_branch(sides)
        note = bringing.settle_operation(sides) or self._note()
        hindered = "the worktree is on another branch" if differs else ""
        if differs and self._may_follow():
            hindered = self._follow(tip, wanted)
            note = hindered or note
        quiet = not moved and not differs and not kept
        # Nothing was written to the twin: all that it had is here now.
        known = quiet or (alone and not hindered)
        set_seen(self.place, self.resting if known else None, _staged(tip, wanted))
        return self._said("in" if moved or kept or differs else "same", kept, wanted, note)

    def _only_here(self, tip: str, there: Difference) -> bool:
        """Whether what is staged there is what it was after the last sync."""
        return self.staged_before == _staged(tip, there)

    def _is_new(self, tip: str, staged: Difference) -> bool:
        """Whether it was staged since, so that the other side cannot have it."""
        return bool(staged.paths) and self.staged_before != _staged(tip, staged)

    def _may_follow(self) -> bool:
        return self.sides.on in (self.place.branch, None)

    def _follow(self, tip: str, wanted: Difference) -> str:
        try:
            bringing.follow_index(self.sides, tip, wanted)
        except NotPossible as error:
            return error.message
        return ""

    def _index_out(self, tip: str, here: Difference) -> Synced:
        handing.hand_index(self.sides, tip, here)
        set_seen(self.place, None, _staged(tip, here))
        return self._said("out", (), here, self._note())

    def _out(self) -> Synced:
        sides = self.sides
        if sides.state.operation:
            return self._waits(
                f"a {sides.state.operation} is in progress in the box, so what moved outside is "
                "handed out once that is over"
            )
        there = bringing.load_wanted(sides, sides.there)
        new = sides.both_on_branch and self._is_new(sides.there, there)
        kept = tuple(filter(None, [bringing.keep_staged_there(sides, there) if new else ""]))
        wanted = staging.load_staged(sides.git, sides.here)
        handing.hand_branch(sides)
        if sides.both_on_branch:
            handing.hand_index(sides, sides.here, wanted)
        set_seen(self.place, None, _staged(sides.here, wanted))
        said = self._said("out", kept, wanted, self._note())
        return msgspec.structs.replace(said, old=sides.there, new=sides.here)

    def _said(self, way: Way, kept: tuple[str, ...], staged: Difference, note: str) -> Synced:
        sides = self.sides
        moved = way == "in" and sides.there and sides.there != sides.here
        return Synced(
            way=way,
            branch=self.place.branch,
            old=sides.here if moved else "",
            new=sides.there if moved else "",
            kept=kept,
            staged=len(staged.paths),
            operation=sides.state.operation or "",
            note=note,
        )

    def _note(self) -> str:
        state, branch = self.sides.state, self.place.branch
        if state.branch is None and state.operation is None:
            return f"HEAD in the box is on no branch; {branch} stays where it was left"
        if state.branch not in (None, self.place.head):
            on = str(state.branch).removeprefix("refs/heads/")
            return f"the box is on the branch {on}, not on {branch}"
        if state.branch == self.place.head and not state.head and self.sides.here:
            return (
                f"the branch {branch} is gone in the box; here it stays at {self.sides.here[:12]}"
            )
        if state.odd:
            return f"{state.odd} refs in the box have names that git does not allow"
        return ""

    def _waits(self, note: str) -> Synced:
        operation = self.sides.state.operation or ""
        return Synced(way="waits", branch=self.place.branch, note=note, operation=operation)

    def _diverged(self) -> Synced:
        sides, place = self.sides, self.place
        kept_here, kept_there = f"{place.under}/host/{sides.here}", f"{place.under}/tip"
        move_refs(sides.git, [Move(kept_here, sides.here)])
        at = ("git", "-C", str(place.worktree))
        note = (
            f"{place.branch} went to {sides.there[:12]} in the box and to {sides.here[:12]} "
            "outside, and neither has all of the other: both are kept, and nothing was moved"
        )
        return Synced(
            way="diverged",
            branch=place.branch,
            old=sides.here,
            new=sides.there,
            kept=(kept_there, kept_here),
            operation=sides.state.operation or "",
            note=note,
            commands=(
                f"in the box: {quoted('git', 'merge', sides.here)}",
                quoted(*at, "update-ref", "-m", "as in the box", "HEAD", sides.there, sides.here),
            ),
        )


def _staged(tip: str, staged: Difference) -> str:
    return f"{tip} {staged.digest}"


def release(place: Twin) -> None:
    """What was only borrowed for the twin is let go; what came from it stays kept."""
    ours = refs.private_refs(place.worktree, f"twins/{place.session}")
    names = (place.pins, place.synced, place.staged)
    moves = [Move(name, "", ours[name]) for name in names if name in ours]
    move_refs(Git(place.worktree), moves)
