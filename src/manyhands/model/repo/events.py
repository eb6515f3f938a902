"""Events of a repository: added, trusted, its standing rules, and its pool of spare worktrees."""

from __future__ import annotations

import msgspec

from manyhands.model.agent.events import RuleKind
from manyhands.model.envelope import Event
from manyhands.model.ids import Oid, SessionId
from manyhands.model.repo.remotes import RemoteAddress


class RepoAdded(Event, frozen=True, kw_only=True):
    path: str
    default_base: str = ""


class RepoTrusted(Event, frozen=True, kw_only=True):
    """A person approved what the repository could run: `files` as they are now, by content."""

    path: str
    digest: str = ""
    files: dict[str, str] = msgspec.field(default_factory=dict)
    approved: tuple[str, ...] = ()


class RemotesPinned(Event, frozen=True, kw_only=True):
    """Where all remotes lead, as the person who trusted the repository saw it; credentials go
    nowhere else."""

    path: str
    remotes: dict[str, RemoteAddress]


class RuleAdded(Event, frozen=True, kw_only=True):
    """A permission that holds for a whole repository; `command` is the rule's pattern."""

    path: str
    tool: str
    command: str = ""
    kind: RuleKind = "call"


class RuleRemoved(Event, frozen=True, kw_only=True):
    path: str
    tool: str
    command: str = ""
    kind: RuleKind = "call"


class SpareStarted(Event, frozen=True, kw_only=True):
    """A spare worktree is being filled, or brought up to date; recorded before anything is done.

    `token` counts up over the repository: whoever acts under a smaller one came too late.
    """

    path: str
    spare: str
    token: int
    worktree: str
    commit: Oid
    before: Oid = Oid("")
    """Where it was, if it is brought up to date."""


class SpareFilled(Event, frozen=True, kw_only=True):
    path: str
    spare: str
    token: int
    installed: str = ""
    """What the dependencies in it were installed from, if they were."""
    unapproved: tuple[str, ...] = ()
    """Hashes of what an install would run and nobody has approved: it was not made."""
    note: str = ""
    bytes: int = 0


class SpareLeased(Event, frozen=True, kw_only=True):
    """From here on the worktree is that session's for good."""

    path: str
    spare: str
    token: int
    holder: SessionId


class SpareDropped(Event, frozen=True, kw_only=True):
    path: str
    spare: str
    reason: str = ""


PoolEvent = SpareStarted | SpareFilled | SpareLeased | SpareDropped
RepoEvent = RepoAdded | RepoTrusted | RemotesPinned | RuleAdded | RuleRemoved | PoolEvent
