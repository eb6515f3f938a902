"""The seam between a keeper and any agent, in the vocabulary of the Agent Client Protocol.

An agent tells what happens by handing events and live frames to its `Host`, and gets a
person's decision by awaiting `Host.ask`, which may take minutes or days and survives
everything but the agent's own death.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from manyhands.agents.capabilities import Capabilities
from manyhands.agents.permission.permits import Permits
from manyhands.box.network.way_out import WayOut
from manyhands.model.agent.conversation import Heard, Message
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.box import NO_BOX, Box
from manyhands.model.events import AnyEvent, Attachment, Mode
from manyhands.model.ids import MAIN, AgentSessionId, ConversationId, SessionId
from manyhands.model.live import Spoken
from manyhands.model.wire import AgentSpec


@dataclass(frozen=True)
class Workplace:
    """Where an agent works, and for which session."""

    session: SessionId
    worktree: Path
    repo: str
    conversation: ConversationId = MAIN
    writes: bool = True
    """False: a side question, whose agent may change nothing whatever its mode."""
    attachments: Path | None = None
    """Where files lie that people sent along; the agent may read there."""
    box: Box = NO_BOX
    """What confines all that it runs."""
    way_out: WayOut | None = None
    """How it reaches the network, where that is confined."""


@dataclass(frozen=True)
class Assignment:
    """What an agent is made with; its own tasks run in `tasks`."""

    spec: AgentSpec
    host: Host
    tasks: asyncio.TaskGroup
    workplace: Workplace
    permits: Permits
    mode: Mode


@dataclass(frozen=True)
class Recalled:
    """What an agent's own record holds of a dialogue that is to be taken up again."""

    resumes: bool = True
    """Whether it holds a dialogue at all."""
    lost: tuple[Message, ...] = ()
    """What the agent was told and the record lacks: without it, it would go on without its task."""


class Host(Protocol):
    """What a keeper offers the agent it runs; it stamps session, time and turn itself."""

    def emit(self, event: AnyEvent) -> None: ...

    def live(self, frame: Spoken) -> None: ...

    async def ask(self, item: Attention) -> Resolution: ...

    @property
    def held(self) -> bool:
        """Whether the next tool call must wait, as where a budget is used up."""
        ...

    async def cleared(self) -> None:
        """Returns once nothing holds the agent; await it before a tool call is let through."""
        ...

    async def room(self) -> None:
        """Returns once there is room for more; await it before each message of the agent's is
        taken, so that one which says more than can be kept waits, and not all of us."""
        ...


class Agent(Protocol):
    """One conversation with one agent process.

    `start` emits `AgentStarted` once the agent is up. `send` begins a turn when none runs and
    steers the running one otherwise; the turn's end is emitted as `TurnFinished`, and the end
    of the process, whatever its cause, as exactly one `AgentExited`. An agent that goes on by
    itself, as when a command in the background has ended, emits `TurnStarted` first.

    An `ask` whose agent dies is cancelled, and its item stays open. One that the agent takes
    back, as after an interrupt, is cancelled too, and its item is settled by the agent.
    """

    capabilities: Capabilities

    async def recall(self, resume: AgentSessionId, told: Heard) -> Recalled:
        """Before `start`: what an earlier process that died kept of what it was told. An agent
        that cannot tell is taken to have kept all."""
        ...

    async def start(self, resume: AgentSessionId | None) -> None: ...

    async def send(self, text: str, attachments: Sequence[Attachment] = ()) -> None: ...

    async def interrupt(self) -> None: ...

    async def set_mode(self, mode: Mode) -> None: ...

    async def set_model(self, model: str) -> None: ...

    async def set_effort(self, effort: str) -> None:
        """ "" is the agent's own default; an agent without such a thing passes it by."""
        ...

    async def stop(self) -> None: ...
