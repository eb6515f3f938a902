"""What the outside sees of a session, a repository and an agent: the contract's JSON shapes."""

from __future__ import annotations

import msgspec

from manyhands.model.attention import Attention
from manyhands.model.clock import Instant
from manyhands.model.events import AgentKind, Listening, Mode
from manyhands.model.ids import AgentSessionId, Oid, SessionId
from manyhands.model.landing_events import Pr
from manyhands.model.session import Message, Review, Session, SetupState
from manyhands.model.state import Repo, Spare
from manyhands.model.status import Status
from manyhands.model.workspace_fold import DatabaseBranch


class Tokens(msgspec.Struct, frozen=True, rename={"in_": "in"}):
    in_: int = 0
    out: int = 0


class IssueLink(msgspec.Struct, frozen=True):
    origin: str
    number: int
    title: str
    url: str


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    id: SessionId
    title: str
    slug: str
    repo: str
    branch: str
    base: str
    base_commit: Oid
    worktree: str
    agent: str
    kind: AgentKind
    model: str
    mode: Mode
    status: Status
    reason: str
    attention: tuple[Attention, ...]
    unread: bool
    review: Review
    turn: int
    cost_usd: float
    tokens: Tokens
    added: int
    removed: int
    files_changed: int
    database: DatabaseBranch | None = None
    ports: dict[str, int]
    listening: tuple[Listening, ...] = ()
    setup: SetupState = ""
    progress: str = ""
    in_place: bool = False
    adopted: bool = False
    pr: Pr | None = None
    issues: tuple[IssueLink, ...] = ()
    created_at: Instant
    updated_at: Instant
    error: str | None
    hint: str
    follow_ups: tuple[Message, ...]
    agent_pid: int
    agent_session: str


class RepoView(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    trusted: bool
    default_base: str
    spares: tuple[Spare, ...] = ()


class PastConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue that an agent keeps for a directory and could go on with."""

    id: AgentSessionId
    title: str
    messages: int
    updated_at: Instant


class AdoptedView(SessionView, frozen=True, kw_only=True):
    conversations: tuple[PastConversation, ...]


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: AgentKind
    installed: bool
    version: str
    logged_in: bool | None
    """None where it cannot be known without asking the agent's service."""
    models: tuple[str, ...]
    hint: str = ""


def session_view(s: Session) -> SessionView:
    same = {
        name: getattr(s, name)
        for name in SessionView.__struct_fields__
        if name in Session.__struct_fields__ and name != "error"
    }
    return SessionView(
        **same,
        status=s.status,
        tokens=Tokens(s.tokens_in, s.tokens_out),
        pr=s.landing.pr,
        issues=tuple(IssueLink(i.origin, i.number, i.title, i.url) for i in s.landing.issues),
        error=s.error or None,
    )


def repo_view(r: Repo) -> RepoView:
    return RepoView(path=r.path, trusted=r.trusted, default_base=r.default_base, spares=r.spares)
