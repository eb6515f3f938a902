"""What a session's state is made of."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.agent_events import Attachment
from manyhands.model.attention import Attention, Resolution
from manyhands.model.clock import Instant
from manyhands.model.ids import AgentSessionId, ConversationId, MessageId, Oid
from manyhands.model.workspace_events import DatabaseKind

ConversationStatus = Literal["queued", "working", "waiting", "idle", "failed"]


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """Words that wait for the agent; `model` and `effort` hold for them alone."""

    id: MessageId
    text: str
    model: str = ""
    effort: str = ""
    attachments: tuple[Attachment, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """A settled item whose answer the agent has not been given yet."""

    item: Attention
    resolution: Resolution


class DatabaseBranch(msgspec.Struct, frozen=True):
    """The session's own branch of the data; one that is not ready was claimed and not finished."""

    kind: DatabaseKind
    name: str
    place: str = ""
    ready: bool = False


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    turn: int
    at: Instant
    commit: Oid
    before: Oid = Oid("")
    """The checkpoint that the files were at before; empty for the base itself."""
    agent_session: AgentSessionId = AgentSessionId("")
    mark: str = ""
    """The point that the dialogue had reached."""


class Fork(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the next agent takes the dialogue up: at a point of an earlier one."""

    agent_session: AgentSessionId
    mark: str = ""
    worktree: str = ""
    """Where that dialogue was led, if elsewhere."""


class Context(msgspec.Struct, frozen=True):
    """Tokens of the model's window."""

    used: int
    limit: int


class Spent(msgspec.Struct, frozen=True, omit_defaults=True):
    usd: float = 0.0
    seconds: float = 0.0


class Limit(msgspec.Struct, frozen=True, omit_defaults=True):
    """The provider takes no more for now."""

    error: str
    resets_at: Instant = ""


class Conversation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A dialogue beside the main one."""

    id: ConversationId
    agent: str
    kind: str
    model: str = ""
    writes: bool = False
    undelivered: tuple[Message, ...] = ()
    in_turn: bool = False
    agent_session: AgentSessionId = AgentSessionId("")
    agent_pid: int = 0
    error: str = ""
