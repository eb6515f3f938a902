"""What putting a session away, or removing it, would keep and lose: one plan for every asker.

The plan that a dry run prints is the object that the page shows and that the action acts on.
What cannot be told stands in the way.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.git import merged, refs, rescue
from manyhands.git.nested import size_of
from manyhands.keeper.strays import load_left_over
from manyhands.model.ids import Oid, SessionId
from manyhands.model.session import Session
from manyhands.process.inside import processes_inside


class Kept(msgspec.Struct, frozen=True):
    what: str
    where: str
    bytes: int = 0


class Lost(msgspec.Struct, frozen=True):
    what: str
    bytes: int = 0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What would be kept and lost, and what stands in the way."""

    session: SessionId
    safe: bool
    kept: tuple[Kept, ...] = ()
    lost: tuple[Lost, ...] = ()
    blocked_by: tuple[str, ...] = ()
    branch_tip: Oid = Oid("")
    """Where the branch was seen; only from there is it deleted."""
    branch_goes: bool = False


def plan_archive(s: Session, trash: Path, place: Path) -> Plan:
    """Everything is kept: in the trash, and by a private ref. `place`: the session's own files."""
    blocked = _busy(s)
    kept = [Kept(f"the database {name}", place) for name, place in _database(s)]
    if s.has_worktree:
        try:
            found, more = _kept(s, trash, place)
            kept += found
            blocked += more
        except (ManyhandsError, OSError) as error:
            blocked.append(f"what it holds cannot be told: {error}")
    return Plan(session=s.id, safe=not blocked, kept=tuple(kept), blocked_by=tuple(blocked))


def plan_removal(s: Session, trash: Path, place: Path) -> Plan:
    """Files go for good. A branch stays unless its work is part of another already."""
    blocked = [] if s.archived else _busy(s)
    kept: list[Kept] = []
    lost: list[Lost] = []
    tip, goes = Oid(""), False
    try:
        tip, goes, branch = _branch(s)
        kept += branch
        lost, more = _lost(s, trash if s.archived else Path(s.worktree), place)
        lost += [Lost(f"the database {name} at {place}") for name, place in _database(s)]
        blocked += more
    except (ManyhandsError, OSError) as error:
        blocked.append(f"what it holds cannot be told: {error}")
    return Plan(
        session=s.id,
        safe=not blocked and not lost,
        kept=tuple(kept),
        lost=tuple(lost),
        blocked_by=tuple(blocked),
        branch_tip=tip,
        branch_goes=goes,
    )


def _database(s: Session) -> list[tuple[str, str]]:
    """What lies on a server; an SQLite file is one of the worktree's."""
    if s.database is None or s.database.kind == "sqlite":
        return []
    return [(s.database.name, s.database.place)]


def _busy(s: Session) -> list[str]:
    blocked = []
    if s.in_turn or s.place or s.answers:
        blocked.append(f"the agent is at work (`manyhands stop {s.slug}`)")
    if not s.ready and not s.error and not s.attention:
        blocked.append("it is still being made ready")
    return blocked


def _kept(s: Session, trash: Path, place: Path) -> tuple[list[Kept], list[str]]:
    worktree = Path(s.worktree)
    if not worktree.exists():
        return [Kept("no files: the worktree is gone", "")], []
    found = rescue.survey(worktree, s.base_commit, s.branch)
    where = str(worktree if s.in_place else trash)
    kept = [Kept(h.what, where, h.bytes) for h in found.holdings]
    if merge := merged.find_merge(Path(s.repo), s.branch, s.base_commit, s.base):
        kept.append(Kept(f"the branch {s.branch}, merged by {merge[0]}", merge[1]))
    return kept, [*_strangers(s, worktree, place), *found.refusals]


def _lost(s: Session, files: Path, place: Path) -> tuple[list[Lost], list[str]]:
    if s.in_place or not os.path.lexists(files):
        return [], []
    found = rescue.survey(files, s.base_commit, s.branch)
    lost = [Lost(h.what, h.bytes) for h in found.local]
    if found.operation:
        lost.append(Lost(f"a {found.operation} in progress"))
    return lost, [*_strangers(s, files, place), *found.refusals]


def _branch(s: Session) -> tuple[Oid, bool, list[Kept]]:
    repo = Path(s.repo)
    tip = refs.branch_tip(repo, s.branch)
    if tip is None or not s.ready:
        return Oid(""), False, []
    merge = merged.find_merge(repo, s.branch, s.base_commit, s.base)
    if merge:
        how, target = merge
        gone = s.new_branch and not s.in_place
        return tip, gone, [Kept(f"the work of {s.branch}, merged by {how}", target)]
    if tip == (s.tip or s.base_commit) and s.new_branch and not s.in_place:
        return tip, True, []
    return tip, False, [Kept(f"the branch {s.branch} at {tip[:12]}", s.repo)]


def _strangers(s: Session, files: Path, place: Path) -> list[str]:
    """What the session itself started ends with it; anybody else's process is not ours to end."""
    if s.in_place:
        return []
    own = {found.pid for found in load_left_over(place, s.id)}
    inside = [p for p in processes_inside(files) if p.pid not in own]
    return [f"{p.name} (pid {p.pid}) runs inside; end it first" for p in inside]


def trash_bytes(trash: Path) -> int:
    return size_of(trash) if trash.is_dir() else 0
