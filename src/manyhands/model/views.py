"""What the outside sees of a session, a repository and an agent: the contract's JSON shapes."""

from __future__ import annotations

import msgspec

from manyhands.model.attention import Attention
from manyhands.model.clock import Instant
from manyhands.model.events import AgentCommand, AgentKind, Listening, Mode, Todo
from manyhands.model.ids import AgentSessionId, ConversationId, Oid, SessionId
from manyhands.model.landing_events import Pr
from manyhands.model.session import Conversation, Message, Review, Session, SetupState
from manyhands.model.session_budget import raise_key
from manyhands.model.session_parts import Context, ConversationStatus, DatabaseBranch
from manyhands.model.state import Repo, Spare
from manyhands.model.status import Status

SMALLEST_USD = 1e-7
"""Less than this is a rounding, not a cost."""
LIMITED = (
    "This agent runs in a terminal: what it does is known from its screen only. Idle means that "
    "the screen is quiet; permissions, plans and costs are not seen."
)


class Tokens(msgspec.Struct, frozen=True, rename={"in_": "in"}):
    in_: int = 0
    out: int = 0


class IssueLink(msgspec.Struct, frozen=True):
    origin: str
    number: int
    title: str
    url: str


class BudgetView(msgspec.Struct, frozen=True):
    """A session's own, as it was given and raised since."""

    usd: float | None = None
    minutes: float | None = None


class ConversationView(msgspec.Struct, frozen=True, kw_only=True):
    id: ConversationId
    agent: str
    kind: str
    writes: bool
    status: ConversationStatus
    error: str = ""


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
    effort: str
    mode: Mode
    status: Status
    reason: str
    attention: tuple[Attention, ...]
    unread: bool
    review: Review
    turn: int
    cost_usd: float
    cost_estimated: bool
    """Part of the cost is reckoned from a table of prices."""
    budget: BudgetView | None
    """Of its own; None: the configured one holds."""
    tokens: Tokens
    context: Context | None
    todos: tuple[Todo, ...]
    commands: tuple[AgentCommand, ...]
    conversations: tuple[ConversationView, ...]
    quiet_since: Instant | None
    """Since when a working agent has given no sign of life."""
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
    limited: bool
    """Whether the agent's state is only guessed at, from its screen."""
    limited_note: str


class RepoView(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    trusted: bool
    default_base: str
    spares: tuple[Spare, ...] = ()


class PastConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue that an agent keeps for a directory and could go on with."""

    id: AgentSessionId
    title: str
    messages: int | None = None
    """None where the agent does not tell."""
    updated_at: Instant
    agent: str = ""
    directory: str = ""


class NewView(SessionView, frozen=True, kw_only=True):
    notice: str = ""
    """What the person should know before starting still more."""


class AdoptedView(SessionView, frozen=True, kw_only=True):
    past: tuple[PastConversation, ...]


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: AgentKind
    installed: bool
    version: str
    logged_in: bool | None
    """None where it cannot be known without asking the agent's service."""
    models: tuple[str, ...]
    modes: tuple[Mode, ...]
    """Those that it can be held to."""
    hint: str = ""


_COMPUTED = frozenset({"error", "conversations"})
_SAME = tuple(
    name
    for name in SessionView.__struct_fields__
    if name in Session.__struct_fields__ and name not in _COMPUTED
)


def session_view(s: Session, heard: Instant = "") -> SessionView:
    """`heard` is when live text last came, which the log does not know."""
    same = {name: getattr(s, name) for name in _SAME}
    own_budget = s.budget_usd is not None or s.budget_minutes is not None
    status = s.status
    works = status == "working" and s.in_turn
    return SessionView(
        **same,
        status=status,
        tokens=Tokens(s.tokens_in, s.tokens_out),
        cost_estimated=abs(s.estimated_usd) > SMALLEST_USD,
        budget=_budget_view(s) if own_budget else None,
        conversations=tuple(_conversation_view(s, c) for c in s.conversations),
        quiet_since=max(heard, s.heard_at) or None if works else None,
        pr=s.landing.pr,
        issues=tuple(IssueLink(i.origin, i.number, i.title, i.url) for i in s.landing.issues),
        error=s.error or None,
        limited=s.kind == "terminal",
        limited_note=LIMITED if s.kind == "terminal" else "",
    )


def _budget_view(s: Session) -> BudgetView:
    def raised(unit: str, given: float | None) -> float | None:
        return None if given is None else given * (1 + s.raises.get(raise_key("session", unit), 0))

    return BudgetView(raised("usd", s.budget_usd), raised("minutes", s.budget_minutes))


def _conversation_view(s: Session, c: Conversation) -> ConversationView:
    status: ConversationStatus = "idle"
    if any(item.conversation == c.id for item in s.attention):
        status = "waiting"
    elif c.in_turn:
        status = "working"
    elif c.undelivered:
        status = "queued"
    elif c.error:
        status = "failed"
    return ConversationView(
        id=c.id, agent=c.agent, kind=c.kind, writes=c.writes, status=status, error=c.error
    )


def repo_view(r: Repo) -> RepoView:
    return RepoView(path=r.path, trusted=r.trusted, default_base=r.default_base, spares=r.spares)
