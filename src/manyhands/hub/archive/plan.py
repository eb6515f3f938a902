"""What putting a session away, or removing it, would keep and lose: one plan for every asker.

The plan that a dry run prints is the object that the page shows and that the action acts on.
"""

from __future__ import annotations

from manyhands.contract.sessions import Kept, Lost, Plan
from manyhands.hub.core import Hub, worktree_of
from manyhands.model.ids import Oid
from manyhands.model.session.session import Session
from manyhands.station.archive import Holdings, survey_removal, survey_worktree


async def plan_archive(hub: Hub, s: Session) -> Plan:
    """Everything is kept: in the trash, and by a private ref."""
    blocked = _busy(s)
    kept = [Kept(f"the database {name}", place) for name, place in _database(s)]
    if s.life.has_worktree:
        found = await survey_worktree(worktree_of(hub, s))
        kept += _kept(s, found, str(hub.home.trash / s.id))
        blocked += found.blocked_by
    return Plan(session=s.id, safe=not blocked, kept=tuple(kept), blocked_by=tuple(blocked))


async def plan_removal(hub: Hub, s: Session) -> Plan:
    """Files go for good. A branch stays unless its work is part of another already."""
    files = str(hub.home.trash / s.id) if s.life.archived else s.workspace.worktree
    found = await survey_removal(worktree_of(hub, s), files)
    blocked = [*([] if s.life.archived else _busy(s)), *found.blocked_by]
    lost = [Lost(h.what, h.bytes) for h in found.local]
    lost += [Lost(f"the database {name} at {place}") for name, place in _database(s)]
    goes, kept = _branch(s, found)
    return Plan(
        session=s.id,
        safe=not blocked and not lost,
        kept=tuple(kept),
        lost=tuple(lost),
        blocked_by=tuple(blocked),
        branch_tip=(s.life.ready and found.tip) or Oid(""),
        branch_goes=goes,
    )


def _database(s: Session) -> list[tuple[str, str]]:
    """What lies on a server; an SQLite file is one of the worktree's."""
    if s.workspace.database is None or s.workspace.database.kind == "sqlite":
        return []
    return [(s.workspace.database.name, s.workspace.database.place)]


def _busy(s: Session) -> list[str]:
    blocked = []
    if s.main.in_turn or s.place.granted or s.inbox.answers:
        blocked.append(f"the agent is at work (`manyhands stop {s.slug}`)")
    if not s.life.ready and not s.life.error and not s.inbox.items:
        blocked.append("it is still being made ready")
    return blocked


def _kept(s: Session, found: Holdings, trash: str) -> list[Kept]:
    if not found.is_there:
        return [Kept("no files: the worktree is gone", "")]
    where = s.workspace.worktree if s.workspace.in_place else trash
    kept = [Kept(h.what, where, h.bytes) for h in found.holdings]
    if found.merge:
        how, target = found.merge
        kept.append(Kept(f"the branch {s.workspace.branch}, merged by {how}", target))
    return kept


def _branch(s: Session, found: Holdings) -> tuple[bool, list[Kept]]:
    """Whether it goes, and what is kept of it."""
    if found.tip is None or not s.life.ready:
        return False, []
    ours = s.workspace.new_branch and not s.workspace.in_place
    if found.merge:
        how, target = found.merge
        return ours, [Kept(f"the work of {s.workspace.branch}, merged by {how}", target)]
    if found.tip == (s.workspace.tip or s.workspace.base_commit) and ours:
        return True, []
    return False, [Kept(f"the branch {s.workspace.branch} at {found.tip[:12]}", s.repo)]
