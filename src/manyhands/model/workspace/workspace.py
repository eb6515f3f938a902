"""A session's workspace: its worktree and base, and the ports, setup and database in it."""

from __future__ import annotations

from typing import Literal, assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.ids import Oid
from manyhands.model.landing.merge_events import (
    BaseLanded,
    SessionMerged,
    UpdateAborted,
    UpdateApplied,
)
from manyhands.model.radar.events import BaseMoved

SetupState = Literal["", "running", "done", "reused", "failed", "skipped"]

LONGEST_PROGRESS = 200


class DatabaseBranch(msgspec.Struct, frozen=True):
    """The session's own branch of the data; one that is not ready was claimed and not finished."""

    kind: e.DatabaseKind
    name: str
    place: str = ""
    ready: bool = False


class Workspace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    worktree: str = ""
    branch: str = ""
    new_branch: bool = True
    base: str = ""
    base_given: bool = False
    base_commit: Oid = Oid("")
    base_tip: Oid = Oid("")
    """The base as the session last learnt of it; empty: as it started from it."""
    tip: Oid = Oid("")
    """Where the branch starts, if not at the base."""
    seed: Oid = Oid("")
    spare: int = 0
    """The fencing token of the leased spare that the worktree is; 0 for none."""
    in_place: bool = False
    adopted: bool = False
    copied: tuple[str, ...] = ()
    """Ignored files that came along, which checkpoints hold too."""
    ports: dict[str, int] = {}
    listening: tuple[e.Listening, ...] = ()
    setup: SetupState = ""
    setup_done: tuple[str, ...] = ()
    """Setup commands that a retry need not run again."""
    progress: str = ""
    """The last line that a running setup has said."""
    database: DatabaseBranch | None = None


class Totals(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the session's files differ in from its base."""

    added: int = 0
    removed: int = 0
    files: int = 0


WorkspaceEvent = (
    e.WorkspaceEvent
    | e.SessionCreated
    | e.SessionArchived
    | UpdateApplied
    | UpdateAborted
    | BaseLanded
    | SessionMerged
    | BaseMoved
)


def fold(workspace: Workspace, event: WorkspaceEvent) -> Workspace:
    match event:
        case e.SetupOutput():
            lines = [line for line in event.text.replace("\r", "\n").splitlines() if line.strip()]
            last = lines[-1].strip()[:LONGEST_PROGRESS] if lines else workspace.progress
            return replace(workspace, progress=last)
        case e.SetupStarted():
            return replace(workspace, setup="running", progress="")
        case e.SetupFinished():
            last = workspace.progress if event.outcome == "failed" else ""
            return replace(workspace, setup=event.outcome, setup_done=event.done, progress=last)
        case e.ListeningChanged():
            return replace(workspace, listening=event.listening)
        case e.PortsLeased():
            return replace(workspace, ports=event.ports)
        case e.FilesCopied():
            return replace(workspace, copied=tuple(file.path for file in event.files))
        case e.BaseResolved():
            base, commit, tip = event.base, event.base_commit, event.base_tip
            return replace(workspace, base=base, base_commit=commit, base_tip=tip)
        case BaseMoved():
            return replace(workspace, base_tip=event.commit)
        case SessionMerged():
            is_base = f"/{workspace.base}".endswith(f"/{event.into}")
            return replace(workspace, base_tip=event.commit) if is_base else workspace
        case e.WorktreePlanned():
            return replace(workspace, worktree=event.worktree, spare=0)
        case e.WorktreeReady():
            return replace(
                workspace,
                worktree=event.worktree,
                branch=event.branch,
                base_commit=event.base_commit,
            )
        case UpdateApplied():
            return replace(workspace, base_commit=event.onto)
        case BaseLanded():
            return replace(workspace, base=event.base, base_tip=event.tip)
        case UpdateAborted():
            return replace(workspace, base_commit=event.base_commit)
        case e.DatabaseClaimed():
            claimed = DatabaseBranch(event.kind, event.name, event.place)
            return replace(workspace, database=claimed)
        case e.DatabaseBranched() | e.DatabaseDropped():
            return _database(workspace, event)
        case e.SessionArchived():
            return replace(workspace, listening=())
        case e.TeardownFinished() | e.PictureTaken():
            return workspace
        case e.SessionCreated():
            return msgspec.convert(event, Workspace, from_attributes=True)
        case _:
            assert_never(event)


def _database(workspace: Workspace, event: e.DatabaseBranched | e.DatabaseDropped) -> Workspace:
    known = workspace.database
    if known is None or known.name != event.name:
        return workspace
    dropped = isinstance(event, e.DatabaseDropped)
    return replace(workspace, database=None if dropped else replace(known, ready=True))
