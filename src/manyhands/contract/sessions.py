"""A session as the outside sees it, what is said in it, and requests that make or change one."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from manyhands.contract.box import NO_DETAIL, BoxDetail
from manyhands.contract.terminals import TerminalView
from manyhands.model.agent.conversation import (
    Call,
    Context,
    ConversationStatus,
    Message,
    TakenOver,
)
from manyhands.model.agent.price import Sum
from manyhands.model.agent.views import PastConversation
from manyhands.model.attention.attention import Attention
from manyhands.model.box import BoxLevel, Network
from manyhands.model.clock import Instant
from manyhands.model.events import AgentCommand, AgentKind, Effort, Listening, Mode, Todo
from manyhands.model.ids import ConversationId, Oid, SessionId
from manyhands.model.landing.events import Pr
from manyhands.model.review.review import Review
from manyhands.model.service.service import ServiceState
from manyhands.model.session.session import Status
from manyhands.model.workspace.workspace import DatabaseBranch, SetupState


class Tokens(msgspec.Struct, frozen=True, rename={"in_": "in"}):
    in_: int = 0
    out: int = 0


class IssueLink(msgspec.Struct, frozen=True):
    origin: str
    number: int
    title: str
    url: str
    key: str = ""
    tracker: str = ""
    """The configured one that it is of; empty for the repository's own forge, and for an item."""


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


class ServiceLink(msgspec.Struct, frozen=True, kw_only=True):
    """A service that was started, in brief."""

    name: str
    state: ServiceState
    port: int | None
    url: str
    reason: str = ""


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
    box: BoxLevel = "none"
    """Around the agent that runs or ran last; before the first, what would be."""
    box_detail: BoxDetail = NO_DETAIL
    tokens: Tokens
    context: Context | None
    doing: Call | None = None
    """What a working agent called last."""
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
    previews: dict[str, str] = {}
    """Where each port is seen in a browser, by the port's name."""
    listening: tuple[Listening, ...] = ()
    terminals: tuple[TerminalView, ...] = ()
    services: tuple[ServiceLink, ...] = ()
    """Those that run, or ended otherwise than by a person's word."""
    setup: SetupState = ""
    progress: str = ""
    in_place: bool = False
    adopted: bool = False
    pr: Pr | None = None
    issues: tuple[IssueLink, ...] = ()
    created_at: Instant
    updated_at: Instant
    seq: int = 0
    """How far the log was when it was looked at: of two views, the one with the higher holds."""
    error: str | None
    hint: str
    follow_ups: tuple[Message, ...]
    taken: TakenOver | None = None
    """Its agent's own program has the conversation; messages wait."""
    agent_pid: int
    agent_session: str
    limited: bool
    """Whether the agent's state is only guessed at, from its screen."""
    limited_note: str


class NewView(SessionView, frozen=True, kw_only=True):
    notice: str = ""
    """What the person should know before starting still more."""


class AdoptedView(SessionView, frozen=True, kw_only=True):
    past: tuple[PastConversation, ...]


class Given(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    media_type: str
    data: str
    """The content in base64."""


class Item(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task out of a file."""

    origin: str
    title: str
    text: str


class New(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    repo: str
    text: str = ""
    name: str = ""
    base: str = ""
    branch: str = ""
    """A branch that exists, or that the new one is to be called."""
    in_place: bool = False
    """In the main checkout, without a worktree."""
    agent: str = ""
    model: str = ""
    effort: Effort | None = None
    mode: Mode | None = None
    budget_usd: Sum | None = None
    budget_minutes: Sum | None = None
    box: BoxLevel | None = None
    network: Network | None = None
    """None: as the repository or the user has it."""
    attachments: tuple[Given, ...] = ()
    resume: str = ""
    """A conversation that the agent keeps for the repository, to go on with in a copy."""
    start: bool = True
    detach: bool = False
    issue: int | str = 0
    """The issue that is the task: its number on the forge, ENG-123, NAME:KEY, or its address."""
    item: Item | None = None
    """The item of a file that is the task."""


class Adopt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: str
    resume: str = ""
    """One of the conversations that the agent keeps for the worktree."""
    name: str = ""
    agent: str = ""
    model: str = ""
    mode: Mode | None = None


class Forking(msgspec.Struct, forbid_unknown_fields=True):
    checkpoint: str = ""


class RewindRequest(msgspec.Struct, forbid_unknown_fields=True):
    checkpoint: str


class Title(msgspec.Struct, forbid_unknown_fields=True):
    title: str


class ModeChoice(msgspec.Struct, forbid_unknown_fields=True):
    mode: Mode


class ModelChoice(msgspec.Struct, forbid_unknown_fields=True):
    model: str


class EffortChoice(msgspec.Struct, forbid_unknown_fields=True):
    effort: Effort | None = None
    """None: the agent's own."""


class BudgetChoice(msgspec.Struct, forbid_unknown_fields=True):
    """None: as configured; what is left out stays as it is."""

    usd: Sum | msgspec.UnsetType | None = msgspec.UNSET
    minutes: Sum | msgspec.UnsetType | None = msgspec.UNSET


Goal = Literal["idle", "attention", "archived"]
WaitOutcome = Literal["reached", "attention", "failed", "timeout"]
LONGEST_WAIT = 7 * 24 * 3600.0


class Waiting(msgspec.Struct, forbid_unknown_fields=True, rename={"goal": "for"}):
    sessions: Annotated[list[str], msgspec.Meta(min_length=1, max_length=1000)]
    goal: Goal = "idle"
    timeout: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_WAIT)] | None = None


class Waited(msgspec.Struct, frozen=True):
    outcome: WaitOutcome
    sessions: tuple[SessionView, ...]


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said; `model` and `effort` hold for this message only."""

    text: str
    follow_up: bool = False
    model: str = ""
    effort: Effort | None = None
    attachments: tuple[Given, ...] = ()


class Said(msgspec.Struct, frozen=True):
    session: SessionId
    follow_up: bool


class Text(msgspec.Struct, forbid_unknown_fields=True):
    text: str


class Opening(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    text: str
    agent: str = ""
    """Default: the session's own."""
    model: str = ""
    writes: bool = False
    conversation: str = ""
    """Go on with one that is open."""
    wait: bool = False
    """Until the answer is there."""


class Answered(ConversationView, frozen=True, kw_only=True):
    answer: str = ""
    """What was said, with `wait`."""


class ArchiveRequest(msgspec.Struct, forbid_unknown_fields=True):
    dry_run: bool = False


class Removing(msgspec.Struct, forbid_unknown_fields=True):
    yes: bool = False
    dry_run: bool = False


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
