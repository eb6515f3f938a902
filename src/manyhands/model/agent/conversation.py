"""A conversation: one agent's dialogue in a session, as a fold of its events.

The main one is like any other, but that a session never is without it, that it may write, and
that a failure before or between its turns is the session's.
"""

from __future__ import annotations

from typing import Literal, assert_never, get_args

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.clock import Instant
from manyhands.model.ids import MAIN, AgentSessionId, ConversationId, MessageId, TerminalId

ConversationStatus = Literal["queued", "working", "waiting", "idle", "failed"]

MOST_SHOWN = 240
MOST_HEARD = 4 * 1024 * 1024
"""Characters."""
_KINDS: dict[str, e.AgentKind] = {kind: kind for kind in get_args(e.AgentKind)}


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """Words that wait for the agent; `model` and `effort` hold for them alone."""

    id: MessageId
    text: str
    model: str = ""
    effort: str = ""
    attachments: tuple[e.Attachment, ...] = ()
    resumes: bool = False
    """It says nothing new."""


class Heard(msgspec.Struct, frozen=True):
    """What an agent was told in a turn that it did not finish."""

    messages: tuple[Message, ...]
    since: str = ""
    """Its own name for the point of the dialogue at which the turn began, where it has one."""


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


class Call(msgspec.Struct, frozen=True):
    """A tool that was called, and the beginnings of the words that it was given."""

    tool: str
    input: dict[str, str]


class Limit(msgspec.Struct, frozen=True, omit_defaults=True):
    """The provider takes no more for now."""

    error: str
    resets_at: Instant = ""


class TakenOver(msgspec.Struct, frozen=True, omit_defaults=True):
    """The agent's own program has the dialogue, in one of the session's terminals."""

    terminal: TerminalId
    name: str
    by: str = ""
    at: Instant = ""


class Conversation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: ConversationId
    agent: str = ""
    kind: e.AgentKind = "claude"
    model: str = ""
    effort: str = ""
    writes: bool = False

    undelivered: tuple[Message, ...] = ()
    follow_ups: tuple[Message, ...] = ()
    heard: tuple[Message, ...] = ()
    """What the agent was given in the turn that is not finished: dead, it may not have noted it."""
    since: str = ""
    """The mark of the turn before."""
    last_message: str = ""
    notice: str = ""
    """What the agent is told with the next message."""

    turn: int = 0
    in_turn: bool = False
    halted: bool = False
    """A person stopped the turn: follow-ups wait for the next word."""
    broken: bool = False
    """The agent died in the middle of a turn, and nothing has been done about it yet."""
    error: str = ""
    """Why the last turn failed."""
    limit: Limit | None = None
    mark: str = ""
    fork: Fork | None = None
    todos: tuple[e.Todo, ...] = ()
    context: Context | None = None
    commands: tuple[e.AgentCommand, ...] = ()

    taken: TakenOver | None = None
    """Messages wait until it is given back."""
    agent_session: AgentSessionId = AgentSessionId("")
    agent_pid: int = 0
    steers: bool = True
    call: Call | None = None
    """The last one of the turn."""
    heard_at: Instant = ""
    """When the agent last gave a sign of life."""
    steps: int = 0
    """Finished model steps in the agent's own session: with none there is nothing to resume."""
    deaths: int = 0
    """Deaths of the agent since its last finished step, so that a crash loop ends."""

    @property
    def told(self) -> Heard | None:
        return Heard(self.heard, self.since) if self.heard else None

    @property
    def point(self) -> Fork:
        """Where an agent that starts now takes the dialogue up."""
        return self.fork or Fork(self.agent_session, self.mark)


Conversations = dict[ConversationId, Conversation]
"""All of a session; never changed in place."""
ConversationEvent = (
    e.DialogueEvent
    | e.SessionCreated
    | e.ModelChanged
    | e.ConversationResumed
    | e.SessionStopped
    | e.SessionFailed
    | e.SessionArchived
)


def fold(c: Conversation, event: ConversationEvent) -> Conversation:
    match event:
        case e.AgentMessage() | e.ToolCalled():
            # From its first step on the agent has a dialogue of its own to go on with.
            call = _call(event) if isinstance(event, e.ToolCalled) else c.call
            return replace(c, steps=c.steps + 1, deaths=0, fork=None, heard_at=event.at, call=call)
        case e.ToolFinished() | e.UsageRecorded():
            return replace(c, heard_at=event.at)
        case e.UserMessage():
            return _asked(c, event)
        case e.MessageTyped():
            return replace(c, last_message=event.text, heard_at=event.at)
        case e.ConversationTaken() | e.ConversationReturned():
            return _lent(c, event)
        case e.MessageDelivered():
            return _delivered(c, event)
        case e.TurnStarted():
            return _turned(c, event)
        case e.TurnFinished():
            return _finished(c, event)
        case e.AgentStarted():
            return _started(c, event)
        case e.AgentExited():
            return _exited(c, event)
        case e.FollowUpAdded():
            known = any(f.id == event.message for f in c.follow_ups)
            return c if known else replace(c, follow_ups=(*c.follow_ups, message_of(event)))
        case e.FollowUpEdited():
            edit, id = {"text": event.text}, event.message
            edited = (replace(f, **edit) if f.id == id else f for f in c.follow_ups)
            return replace(c, follow_ups=tuple(edited))
        case e.FollowUpDeleted():
            return replace(c, follow_ups=_without(c.follow_ups, event.message))
        case e.TodosChanged():
            return replace(c, todos=event.todos)
        case e.ContextMeasured():
            return replace(c, context=Context(event.used, event.limit))
        case e.CommandsListed():
            return replace(c, commands=event.commands)
        case e.ModelChanged():
            return replace(c, model=event.model)
        case e.EffortChanged():
            return replace(c, effort=event.effort)
        case e.ConversationResumed():
            return replace(c, agent_session=event.agent_session, steps=max(1, c.steps))
        case e.SessionStopped():
            return replace(c, halted=True, broken=False, heard=())
        case e.SessionFailed():
            # What waits for the main agent waits until the session goes on.
            left = c.undelivered if c.id == MAIN else ()
            return replace(c, in_turn=False, error=event.error, undelivered=left)
        case e.SessionArchived():
            return replace(c, in_turn=False)
        case e.ConversationOpened():
            return c
        case e.SessionCreated():
            return _created(c, event)
        case _:
            assert_never(event)


def _lent(c: Conversation, event: e.ConversationTaken | e.ConversationReturned) -> Conversation:
    if isinstance(event, e.ConversationTaken):
        return replace(c, taken=TakenOver(event.terminal, event.name, event.by, event.at))
    # What was said meanwhile is said now, whatever had been stopped.
    return replace(c, taken=None, halted=False)


def _call(event: e.ToolCalled) -> Call:
    given = event.input
    if isinstance(words := given.get("command"), list):
        given = {**given, "command": " ".join(map(str, words))}
    return Call(event.tool, {k: v[:MOST_SHOWN] for k, v in given.items() if isinstance(v, str)})


def _created(c: Conversation, event: e.SessionCreated) -> Conversation:
    forked = event.fork_of and Fork(event.fork_of, event.fork_at, event.fork_in)
    return replace(
        c,
        agent=event.agent,
        kind=event.kind,
        model=event.model,
        effort=event.effort,
        # Until the agent itself says so: its turn may be on record before it is.
        steers=event.kind != "acp",
        fork=forked or c.fork,
    )


def _turned(c: Conversation, event: e.TurnStarted) -> Conversation:
    return replace(
        c,
        turn=max(event.turn, c.turn),
        since=c.mark or c.since,
        mark="",
        in_turn=True,
        # Whoever leads it in the agent's own program has gone on.
        halted=c.halted and c.taken is None,
        broken=False,
        error="",
        heard_at=event.at,
        limit=None,
        call=None,
    )


def message_of(event: e.UserMessage | e.FollowUpAdded) -> Message:
    return Message(
        event.message,
        event.text,
        event.model,
        event.effort,
        event.attachments,
        resumes=isinstance(event, e.UserMessage) and event.resumes,
    )


def _delivered(c: Conversation, event: e.MessageDelivered) -> Conversation:
    given = [m for m in c.undelivered if m.id == event.message and not m.resumes]
    return replace(
        c,
        undelivered=_without(c.undelivered, event.message),
        heard=_bounded((*c.heard, *given)),
        notice="",
    )


def _bounded(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The last of them, and not more than can go out again in one piece."""
    room, kept = MOST_HEARD, 0
    for m in reversed(messages):
        room -= len(m.text)
        if room < 0 and kept:
            break
        kept += 1
    return messages[len(messages) - kept :]


def _without(messages: tuple[Message, ...], id: MessageId) -> tuple[Message, ...]:
    return tuple(m for m in messages if m.id != id)


def _asked(c: Conversation, event: e.UserMessage) -> Conversation:
    known = any(m.id == event.message for m in c.undelivered)
    return replace(
        c,
        undelivered=c.undelivered if known else (*c.undelivered, message_of(event)),
        follow_ups=_without(c.follow_ups, event.message),
        last_message=event.text if event.by == "human" else c.last_message,
        halted=False,
        broken=False,
        error="",
        limit=None,
    )


def _started(c: Conversation, event: e.AgentStarted) -> Conversation:
    # What the main agent took by itself is what the session's settings show from then on.
    model = event.model if c.id == MAIN else ""
    return replace(
        c,
        agent_session=event.agent_session,
        agent_pid=event.pid,
        steers=event.steers,
        heard_at=event.at,
        steps=c.steps if event.agent_session == c.agent_session else 0,
        model=c.model or model,
    )


def _exited(c: Conversation, event: e.AgentExited) -> Conversation:
    gone = replace(c, agent_pid=0, in_turn=False)
    if event.expected:
        return gone
    died = event.reason or "the agent died" if c.in_turn else c.error
    if c.taken:
        return replace(gone, error=died)  # a person was at work with it, and knows how to go on
    return replace(gone, deaths=c.deaths + 1, broken=c.in_turn, error=died)


def _finished(c: Conversation, event: e.TurnFinished) -> Conversation:
    failed = event.outcome == "failed"
    return replace(
        c,
        in_turn=False,
        heard=(),
        halted=event.outcome == "interrupted",
        mark=event.mark,
        error=event.error or "the turn failed" if failed else "",
        limit=Limit(event.error, event.resets_at) if failed and event.limited else c.limit,
    )


def settled(main: Conversation, item: Attention, resolution: Resolution) -> Conversation:
    """After a person's answer to what the session asked."""
    if item.kind == "limit":
        return replace(main, limit=None)
    if item.kind == "budget" and resolution.option == "stop":
        return replace(main, halted=True)
    return main


def rewound(main: Conversation, event: e.SessionRewound, point: Fork | None) -> Conversation:
    """The files are as they were when the dialogue was at `point`, if that is known."""
    told = replace(main, notice="" if event.forked else event.note)
    if not event.forked or point is None:
        return told
    return replace(
        told,
        agent_session=point.agent_session,
        mark=point.mark,
        steps=0,
        fork=point if point.mark else None,
    )


# All of a session


def fresh() -> Conversations:
    return {MAIN: Conversation(id=MAIN, writes=True)}


def fold_all(conversations: Conversations, event: ConversationEvent) -> Conversations:
    # Whoever uses something shows that the session is alive.
    id = MAIN if type(event) is e.UsageRecorded else event.conversation
    known = conversations.get(id)
    if known is not None:
        return {**conversations, id: fold(known, event)}
    if not isinstance(event, e.ConversationOpened):
        return conversations
    opened = Conversation(
        id=id,
        agent=event.agent,
        kind=_KINDS.get(event.kind, "claude"),
        model=event.model,
        writes=event.writes,
    )
    return {**conversations, id: opened}


def any_in_turn(conversations: Conversations) -> bool:
    return any(c.in_turn for c in conversations.values())
