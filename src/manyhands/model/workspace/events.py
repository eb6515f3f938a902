"""Events of a workspace: made, and what was carried over, leased, branched and set up in it."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.envelope import Event
from manyhands.model.ids import Oid


class Listener(msgspec.Struct, frozen=True):
    """A port on which a process of a session listens."""

    session: str
    port: int
    pid: int
    process: str


SetupOutcome = Literal["done", "reused", "failed", "skipped"]
DatabaseKind = Literal["sqlite", "postgres", "neon"]


class BaseResolved(Event, frozen=True, kw_only=True):
    """What the session starts from, after the remote was asked."""

    base: str
    base_commit: Oid
    base_tip: Oid = Oid("")


class WorktreePlanned(Event, frozen=True, kw_only=True):
    """The worktree will be made here instead: the spare that was leased is of no use."""

    worktree: str
    reason: str = ""


class WorktreeReady(Event, frozen=True, kw_only=True):
    worktree: str
    branch: str
    base_commit: Oid


class CopiedFile(msgspec.Struct, frozen=True):
    path: str
    bytes: int


class FilesCopied(Event, frozen=True, kw_only=True):
    """Ignored and untracked files that came along from the main checkout."""

    files: tuple[CopiedFile, ...] = ()
    left_out: tuple[str, ...] = ()
    """What matched and was not copied, each with the reason."""


class PortsLeased(Event, frozen=True, kw_only=True):
    ports: dict[str, int]


class Listening(msgspec.Struct, frozen=True):
    port: int
    pid: int
    process: str = ""


class ListeningChanged(Event, frozen=True, kw_only=True):
    """The ports on which the session's processes really listen."""

    listening: tuple[Listening, ...] = ()


class SetupStarted(Event, frozen=True, kw_only=True):
    """One attempt; `origin` is "config" or the package manager that was detected."""

    commands: tuple[str, ...]
    origin: str = ""


class SetupOutput(Event, frozen=True, kw_only=True):
    command: str
    text: str


class SetupFinished(Event, frozen=True, kw_only=True):
    """The attempt's end; `done` are the commands that a retry need not run again."""

    outcome: SetupOutcome
    done: tuple[str, ...] = ()
    failed: str = ""
    returncode: int | None = None
    error: str = ""
    seconds: float = 0.0


class PictureTaken(Event, frozen=True, kw_only=True):
    """A picture of a preview is kept with the session."""

    picture: str
    """Its name there."""
    service: str
    path: str
    width: int
    height: int
    status: int = 0
    """With which the page was answered; 0 where it was not."""
    problems: tuple[str, ...] = ()
    """What the page's console told, and what it could not load."""


class TeardownFinished(Event, frozen=True, kw_only=True):
    outcome: SetupOutcome
    failed: str = ""
    returncode: int | None = None
    error: str = ""
    output: str = ""
    seconds: float = 0.0


class DatabaseClaimed(Event, frozen=True, kw_only=True):
    """Recorded before a branch of the data is made: from here on it is ours, and ours to drop."""

    kind: DatabaseKind
    name: str
    place: str = ""
    """The server or project that holds it; never a password."""


class DatabaseBranched(Event, frozen=True, kw_only=True):
    name: str
    method: str = ""
    """How the data came over: "template", "dump", "backup", "api", "empty"; "kept" = was there."""
    seconds: float = 0.0


class DatabaseDropped(Event, frozen=True, kw_only=True):
    name: str


WorkspaceEvent = (
    BaseResolved
    | WorktreePlanned
    | WorktreeReady
    | FilesCopied
    | PortsLeased
    | ListeningChanged
    | SetupStarted
    | SetupOutput
    | SetupFinished
    | TeardownFinished
    | PictureTaken
    | DatabaseClaimed
    | DatabaseBranched
    | DatabaseDropped
)
