"""How a stacked session stands to what the one below it has landed in."""

from __future__ import annotations

import msgspec

from manyhands.git import refs
from manyhands.git.diff.diff import shown
from manyhands.git.radar.forecast import forecast
from manyhands.git.runner import Git
from manyhands.git.tree_edit import make_commit
from manyhands.model.ids import Oid
from manyhands.station.landing.merge import uncommitted
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree


class Below(msgspec.Struct, frozen=True, kw_only=True):
    """What a session is stacked on, and how that has landed."""

    branch: str
    tip: Oid
    """What was landed of it."""
    commit: Oid
    """What the target went to; empty where nobody told."""


class StackStanding(msgspec.Struct, frozen=True, kw_only=True):
    base: str
    """What was landed in, as it is called here."""
    has_landed: bool = False
    """Whether that holds what landed, as far as is known here; the rest is told only then."""
    waits: bool = False
    """Whether a person has to see to that."""
    stood_on_it: bool = False
    """Whether the session stands on nothing of the branch that did not land."""
    tip: Oid = Oid("")
    has_own: bool = False
    """Whether the base holds the very commits that the session stands on."""


@in_thread
def load_stack(at: Worktree, base: str, below: Below) -> StackStanding:
    now = refs.resolve(at.repository, base)
    if now is None or not _has(at, below.commit or below.tip, now):
        return StackStanding(base=base)
    is_whole = refs.branch_tip(at.repository, below.branch) in (below.tip, None)
    return StackStanding(
        base=base,
        has_landed=True,
        tip=now,
        stood_on_it=is_whole or _has(at, at.base, below.tip),
        has_own=_has(at, at.base, now),
    )


def _has(at: Worktree, commit: Oid, of: Oid) -> bool:
    known = all(refs.resolve(at.repository, f"{oid}^{{commit}}") for oid in (commit, of))
    return known and refs.is_part_of(at.repository, commit, of)


class Restackable(msgspec.Struct, frozen=True, kw_only=True):
    waits: bool = False
    """Work is to be committed first, or the base to come to hold what has landed."""
    conflicts: tuple[str, ...] = ()
    """Where its own changes would conflict with the new base."""


@in_thread
def try_restack(at: Worktree, onto: Oid, landed: Oid) -> Restackable:
    """In object space: what the session did on top of its base, on top of the new one, which must
    hold what has landed."""
    changed = uncommitted(at.root, untracked=False)
    tip = refs.branch_tip(at.repository, at.branch)
    if changed or tip is None or not _has(at, landed, onto):
        return Restackable(waits=True)
    git = Git(at.repository)
    before, mine, theirs = (refs.tree_of(at.repository, oid) for oid in (at.base, onto, tip))
    root = make_commit(git, before, [], "trial")
    sides = (make_commit(git, mine, [root], "trial"), make_commit(git, theirs, [root], "trial"))
    found = forecast(git, [sides])[0]
    if found.clean:
        return Restackable()
    paths = (shown(c.path.encode("utf-8", "surrogateescape")) for c in found.conflicts)
    return Restackable(conflicts=tuple(paths))
