"""Events of agents and of the words between them and people: messages, turns, tools, usage."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.envelope import Event
from manyhands.model.ids import AgentSessionId, AttentionId, MessageId, TerminalId

Outcome = Literal["done", "interrupted", "failed"]
Effort = Literal["low", "medium", "high", "xhigh", "max"]
TodoState = Literal["pending", "doing", "done"]
RuleKind = Literal["call", "prefix", "glob", "tool"]
Decided = Literal["allow", "deny"]


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """A file that goes with a message; its content lies at `path`, under the home."""

    name: str
    media_type: str
    size: int = 0
    path: str = ""


class Todo(msgspec.Struct, frozen=True):
    text: str
    state: TodoState = "pending"


class AgentCommand(msgspec.Struct, frozen=True):
    """A slash command or skill that the agent offers."""

    name: str
    description: str = ""


# Words


class UserMessage(Event, frozen=True, kw_only=True):
    """A message on its way to the agent; `by` is "human" or, for what we send ourselves, "hub".

    `model` and `effort` hold for this message only. One that `resumes` says nothing new: that the
    agent should go on, or what it was told before.
    """

    message: MessageId
    text: str
    steer: bool = False
    by: str = "human"
    resumes: bool = False
    model: str = ""
    effort: str = ""
    attachments: tuple[Attachment, ...] = ()


class FollowUpAdded(Event, frozen=True, kw_only=True):
    message: MessageId
    text: str
    model: str = ""
    effort: str = ""
    attachments: tuple[Attachment, ...] = ()


class FollowUpEdited(Event, frozen=True, kw_only=True):
    message: MessageId
    text: str


class FollowUpDeleted(Event, frozen=True, kw_only=True):
    message: MessageId


class MessageDelivered(Event, frozen=True, kw_only=True):
    message: MessageId


class MessageTyped(Event, frozen=True, kw_only=True):
    """Said to the agent in its own program, as that has noted it."""

    message: MessageId
    text: str


class AgentMessage(Event, frozen=True, kw_only=True):
    """A finished piece of agent text, whole; `parent` is the tool call of a sub-agent."""

    message: MessageId
    text: str
    parent: str = ""


class AgentThought(Event, frozen=True, kw_only=True):
    message: MessageId
    text: str
    parent: str = ""


# Agents and turns


class ConversationOpened(Event, frozen=True, kw_only=True):
    """Another dialogue beside the main one, in the same worktree; its id is the envelope's."""

    agent: str
    kind: str
    model: str = ""
    writes: bool = False


class ConversationTaken(Event, frozen=True, kw_only=True):
    """The agent's own program has the dialogue, in this terminal: nothing else is said to it until
    it is given back."""

    terminal: TerminalId
    name: str
    by: str = ""


class ConversationReturned(Event, frozen=True, kw_only=True):
    """`reason`: why the program ended, where nobody had asked for it."""

    reason: str = ""


class AgentStarted(Event, frozen=True, kw_only=True):
    """`steers`: it takes a message in the middle of a turn."""

    agent: str
    agent_session: AgentSessionId
    pid: int
    model: str = ""
    version: str = ""
    resumed: bool = False
    steers: bool = True


class AgentExited(Event, frozen=True, kw_only=True):
    """`expected` is true only where we asked it to stop."""

    returncode: int | None = None
    expected: bool = False
    reason: str = ""


class AgentRetried(Event, frozen=True, kw_only=True):
    """The model did not answer as it should, and the agent tries it again by itself."""

    text: str
    status: int = 0


def _nothing() -> dict[str, Any]:
    """A factory's default is written out even where it is empty: readers count on the field."""
    return {}


class ToolCalled(Event, frozen=True, kw_only=True):
    """`parent` is the call by which the sub-agent was started that makes this one."""

    call: str
    tool: str
    input: dict[str, Any] = msgspec.field(default_factory=_nothing)
    input_bytes: int = 0
    parent: str = ""


class ToolFinished(Event, frozen=True, kw_only=True):
    """`tool` and `input` as they are known at the end; no input where it was told at the call."""

    call: str
    tool: str
    output: str = msgspec.field(default_factory=str)
    output_bytes: int = 0
    is_error: bool = False
    parent: str = ""
    input: dict[str, Any] | None = None


class TurnStarted(Event, frozen=True, kw_only=True):
    pass


class TurnFinished(Event, frozen=True, kw_only=True):
    """`mark` is the agent's own name for this point of the dialogue, where it has one.

    `limited`: it failed because the provider takes no more for now, until `resets_at` if known.
    """

    outcome: Outcome = "done"
    error: str = ""
    mark: str = ""
    limited: bool = False
    resets_at: Instant = ""


class UsageRecorded(Event, frozen=True, kw_only=True):
    """What was used since the last record, never a running total.

    An estimate is taken back, by a negative one, once the exact sum is known.
    """

    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    estimated: bool = False


class TodosChanged(Event, frozen=True, kw_only=True):
    """The agent's own list of what it has to do, whole."""

    todos: tuple[Todo, ...]


class ContextMeasured(Event, frozen=True, kw_only=True):
    """How many tokens of the model's window the dialogue fills."""

    used: int
    limit: int


class Compacted(Event, frozen=True, kw_only=True):
    """The agent summarised its dialogue to make room."""

    before: int = 0
    after: int = 0


class CommandsListed(Event, frozen=True, kw_only=True):
    commands: tuple[AgentCommand, ...]


class EffortChanged(Event, frozen=True, kw_only=True):
    effort: str


# What a person allows


class BudgetChanged(Event, frozen=True, kw_only=True):
    """The session's own budget; None: the configured one holds."""

    usd: float | None = None
    minutes: float | None = None


class PermissionDecided(Event, frozen=True, kw_only=True):
    """Who let a tool call run, or did not, and by which rule; `by`: human, rule, mode, grant."""

    tool: str
    what: str
    decision: Decided
    by: str
    rule: str = ""
    call: str = ""
    item: AttentionId = AttentionId("")


class AgentHeld(Event, frozen=True, kw_only=True):
    """A tool call waits because a budget is used up, or waits no longer."""

    on: bool = True


class SessionRuleAdded(Event, frozen=True, kw_only=True):
    tool: str
    command: str = ""
    kind: RuleKind = "call"


class SessionRuleRemoved(Event, frozen=True, kw_only=True):
    tool: str
    command: str = ""
    kind: RuleKind = "call"


DialogueEvent = (
    UserMessage
    | FollowUpAdded
    | FollowUpEdited
    | FollowUpDeleted
    | MessageDelivered
    | MessageTyped
    | AgentMessage
    | ConversationOpened
    | ConversationTaken
    | ConversationReturned
    | AgentStarted
    | AgentExited
    | ToolCalled
    | ToolFinished
    | TurnStarted
    | TurnFinished
    | UsageRecorded
    | TodosChanged
    | ContextMeasured
    | CommandsListed
    | EffortChanged
)
"""From these follows how a conversation stands."""
AgentEvent = (
    DialogueEvent
    | AgentThought
    | AgentRetried
    | Compacted
    | BudgetChanged
    | PermissionDecided
    | AgentHeld
    | SessionRuleAdded
    | SessionRuleRemoved
)
