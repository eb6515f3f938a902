"""What a session remembers of its workspace: worktree, ports, setup and database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from manyhands.model import workspace_events as w
from manyhands.model.folds import Folds
from manyhands.model.session_parts import DatabaseBranch

if TYPE_CHECKING:
    from manyhands.model.session import Session

LONGEST_PROGRESS = 200


def _worktree_ready(s: Session, ev: w.WorktreeReady) -> dict[str, object]:
    return {"worktree": ev.worktree, "branch": ev.branch, "base_commit": ev.base_commit}


def _setup_output(s: Session, ev: w.SetupOutput) -> dict[str, object]:
    lines = [line for line in ev.text.replace("\r", "\n").splitlines() if line.strip()]
    return {"progress": lines[-1].strip()[:LONGEST_PROGRESS]} if lines else {}


def _setup_finished(s: Session, ev: w.SetupFinished) -> dict[str, object]:
    last = s.progress if ev.outcome == "failed" else ""
    return {"setup": ev.outcome, "setup_done": ev.done, "progress": last}


def _database_branched(s: Session, ev: w.DatabaseBranched) -> dict[str, object]:
    if s.database is None or s.database.name != ev.name:
        return {}
    return {"database": msgspec.structs.replace(s.database, ready=True)}


def _database_dropped(s: Session, ev: w.DatabaseDropped) -> dict[str, object]:
    return {"database": None} if s.database and s.database.name == ev.name else {}


WORKSPACE_FOLDS: Folds = {
    w.WorktreeReady: _worktree_ready,
    w.BaseResolved: lambda s, ev: {"base": ev.base, "base_commit": ev.base_commit},
    w.WorktreePlanned: lambda s, ev: {"worktree": ev.worktree, "spare": 0},
    w.PortsLeased: lambda s, ev: {"ports": ev.ports},
    w.ListeningChanged: lambda s, ev: {"listening": ev.listening},
    w.SetupStarted: lambda s, ev: {"setup": "running", "progress": ""},
    w.SetupOutput: _setup_output,
    w.SetupFinished: _setup_finished,
    w.DatabaseClaimed: lambda s, ev: {"database": DatabaseBranch(ev.kind, ev.name, ev.place)},
    w.DatabaseBranched: _database_branched,
    w.DatabaseDropped: _database_dropped,
    w.FilesCopied: lambda s, ev: {"copied": tuple(file.path for file in ev.files)},
}
