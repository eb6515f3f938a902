"""The versioned protocol between hub and keeper: length-prefixed JSON over a Unix socket.

The hub connects, says `Hello` with the epoch it knows and the last spool number it has
committed, and the keeper answers `Welcome`, then sends `Items` from there on. Every `Do`
carries an id and is answered by one `Done`; sending it again changes nothing.
"""

from __future__ import annotations

import asyncio
import struct

import msgspec

from manyhands.model.agent.conversation import Fork, Heard
from manyhands.model.agent.price import Price
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.box import NO_BOX, Box
from manyhands.model.events import AgentCommand, Attachment, Mode
from manyhands.model.ids import MAIN, CommandId, ConversationId, MessageId, SessionId, TerminalId
from manyhands.model.live import AnyLive
from manyhands.model.service.spec import ServiceSpec

PROTOCOL = 1
PARTS = "parts"
"""In `Welcome.can`: terminals, services, and commands that a person runs."""
TAKES = "takes"
"""Likewise: the agent's own program can have the conversation."""
LARGEST = 64 * 1024 * 1024
_HEADER = struct.Struct(">I")


class AgentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Everything needed to start an agent; `env` is its whole environment, not an addition."""

    name: str
    kind: str
    command: tuple[str, ...] = ()
    model: str = ""
    effort: str = ""
    env: dict[str, str] = {}
    prices: dict[str, Price] = {}
    """The user's own, by model."""
    like: str = ""
    """The known agent that this one is, where its config says so."""
    memory: str = ""
    """A directory in which what was learnt of the agent outlives its processes."""
    fork: Fork | None = None
    """The first agent goes on from this point of an earlier dialogue, in one of its own."""
    trusted: bool = False
    """Whether settings, hooks and tool servers of the repository may take effect."""
    box: Box = NO_BOX
    """What it is started in, as the hub decided; its twin is the keeper's to make."""


ATTACHMENTS = "attachments"
"""The directory, in the session's own, of files that people sent along."""


class KeeperSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What the hub tells a keeper at its birth."""

    session: SessionId
    epoch: int
    socket: str
    lock: str
    hub_lock: str = ""
    """Whoever holds it is the hub, and may speak to the keeper; empty: whoever is no agent."""
    spool: str
    worktree: str
    base_commit: str
    branch: str = ""
    in_place: bool = False
    remotes: tuple[str, ...] = ()
    """Addresses of the repository's, which its box may reach."""
    repo: str
    agent: AgentSpec
    agent_session: str = ""
    listed: tuple[str, ...] = ()
    """Ignored files that checkpoints hold too."""
    mode: Mode = "ask"
    turn: int = 0
    rules: tuple[Rule, ...] = ()
    session_rules: tuple[Rule, ...] = ()
    commands: tuple[AgentCommand, ...] = ()
    """What the agent is known to offer, which need not be told again."""
    linger: float = 10.0
    log: str = ""
    secrets: tuple[str, ...] = ()
    """Values that nothing of the session may tell."""
    approved: tuple[str, ...] = ()
    """Hashes of what the repository may make its agents run."""


# Commands to a keeper: imperative, each safe to repeat


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag=str.lower):
    pass


class OtherConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation beside the main one, as its agent is to be started."""

    agent: AgentSpec
    agent_session: str = ""
    mode: Mode = "ask"
    writes: bool = False


class Say(Command, frozen=True, kw_only=True):
    """`model` and `effort` hold for this message; `beside` comes with another conversation.

    `told` is what the agent was told before, in a turn that it did not live to finish.
    """

    message: MessageId
    text: str
    model: str = ""
    effort: str = ""
    attachments: tuple[Attachment, ...] = ()
    conversation: ConversationId = MAIN
    beside: OtherConversation | None = None
    told: Heard | None = None


class Settle(Command, frozen=True, kw_only=True):
    """Give the answer to a pending item, or, where its agent died, resume with it."""

    item: Attention
    resolution: Resolution
    beside: OtherConversation | None = None
    told: Heard | None = None


class Interrupt(Command, frozen=True, kw_only=True):
    pass


class SetMode(Command, frozen=True, kw_only=True):
    mode: Mode


class SetModel(Command, frozen=True, kw_only=True):
    model: str


class SetEffort(Command, frozen=True, kw_only=True):
    effort: str


class SetRules(Command, frozen=True, kw_only=True):
    rules: tuple[Rule, ...]
    session: tuple[Rule, ...] = ()


class Hold(Command, frozen=True, kw_only=True):
    """Let the agent begin no further tool call, or let it go on."""

    on: bool


class Look(Command, frozen=True, kw_only=True):
    """Someone looks at the session, or no longer does; the watcher runs while one does."""

    on: bool


class OpenTerminal(Command, frozen=True, kw_only=True):
    """Start the program in this terminal, whether it is new or its last one has ended."""

    terminal: TerminalId
    name: str
    program: tuple[str, ...] = ()
    """Empty: the user's shell."""
    rows: int = 24
    columns: int = 80
    bell: bool = False


class TakeOver(Command, frozen=True, kw_only=True):
    """Stop the main agent, and go on with its dialogue in its own program, in a terminal."""

    terminal: OpenTerminal
    by: str = ""


class GiveBack(Command, frozen=True, kw_only=True):
    """End that program; answered once all of it is told."""


class EndTerminal(Command, frozen=True, kw_only=True):
    """Hang up, then TERM, then KILL; answered once nothing of it is left."""

    terminal: TerminalId


class SetBell(Command, frozen=True, kw_only=True):
    """Whether a person is told of the terminal's bell."""

    terminal: TerminalId
    on: bool


class WantedService(msgspec.Struct, frozen=True, kw_only=True):
    ask: CommandId
    spec: ServiceSpec


class Serve(Command, frozen=True, kw_only=True):
    """The services that are to run, all of them; one under another `ask` is to run anew."""

    services: tuple[WantedService, ...] = ()


class Stop(Command, frozen=True, kw_only=True):
    """Stop agents and end; unacknowledged items stay in the spool."""


AnyChange = SetMode | SetModel | SetEffort | SetRules | Hold
AnyTerminalCommand = OpenTerminal | EndTerminal | SetBell
AnyTaking = TakeOver | GiveBack
AnyCommand = (
    Say | Settle | Interrupt | AnyChange | Look | Serve | AnyTerminalCommand | AnyTaking | Stop
)


class WireMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="m", tag=str.lower):
    pass


class Hello(WireMessage, frozen=True, kw_only=True):
    protocol: int
    epoch: int
    acked: int


class Do(WireMessage, frozen=True, kw_only=True):
    id: CommandId
    command: AnyCommand


class Ack(WireMessage, frozen=True, kw_only=True):
    upto: int


class View(WireMessage, frozen=True, kw_only=True):
    """In place of `Hello`: this connection is one viewer's of a terminal, and goes on with frames
    as in `model/terminal/stream.py`. Nothing that floods is ever on the link of events."""

    epoch: int
    terminal: TerminalId
    types: bool
    rows: int
    columns: int


class Run(WireMessage, frozen=True, kw_only=True):
    """In place of `Hello`: run one command, whose output goes back over this connection, by whose
    end it ends too."""

    epoch: int
    program: tuple[str, ...]


AnyStream = View | Run
AnyFromHub = Hello | Do | Ack | AnyStream


class Welcome(WireMessage, frozen=True, kw_only=True):
    protocol: int
    session: SessionId
    epoch: int
    pid: int
    can: tuple[str, ...] = ()
    """What keepers of earlier versions cannot."""
    live: tuple[AnyLive, ...] = ()
    """The text so far of everything that is being said now."""


class Items(WireMessage, frozen=True, kw_only=True):
    """Spooled events `first`, `first + 1`, …, as stored bodies."""

    first: int
    events: tuple[msgspec.Raw, ...]


class Live(WireMessage, frozen=True, kw_only=True):
    frames: tuple[AnyLive, ...]


class Done(WireMessage, frozen=True, kw_only=True):
    id: CommandId
    error: str = ""


AnyFromKeeper = Welcome | Items | Live | Done

_from_hub: msgspec.json.Decoder[AnyFromHub] = msgspec.json.Decoder(AnyFromHub)
_from_keeper: msgspec.json.Decoder[AnyFromKeeper] = msgspec.json.Decoder(AnyFromKeeper)
_encoder = msgspec.json.Encoder()


def frame(message: AnyFromHub | AnyFromKeeper) -> bytes:
    body = _encoder.encode(message)
    return _HEADER.pack(len(body)) + body


def _size(data: bytes | bytearray, at: int = 0) -> int:
    (size,) = _HEADER.unpack_from(data, at)
    if size > LARGEST:
        raise ConnectionError(f"a frame of {size} bytes is over the limit of {LARGEST}")
    return int(size)


async def read_from_hub(reader: asyncio.StreamReader) -> AnyFromHub | None:
    """The hub's next message, or None at the end of the stream."""
    try:
        size = _size(await reader.readexactly(_HEADER.size))
        return _from_hub.decode(await reader.readexactly(size))
    except asyncio.IncompleteReadError:
        return None


class KeeperStream:
    """A keeper's messages, out of bytes in whatever portions they come."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[AnyFromKeeper]:
        """The messages that are whole by now."""
        self._rest += data
        found: list[AnyFromKeeper] = []
        start = 0
        while (body := start + _HEADER.size) <= len(self._rest):
            end = body + _size(self._rest, start)
            if end > len(self._rest):
                break
            found.append(_from_keeper.decode(self._rest[body:end]))
            start = end
        del self._rest[:start]
        return found
