"""Events: facts in the past tense, stored for ever and numbered over the whole hub.

A closed union of frozen structs. On the wire each is one flat JSON object
``{seq, session, type, at, …}``; ``type`` is the class name in snake_case. A body is
stored without ``seq``; the number is put in front when it is read (`with_seq`).
A type that this version does not know is kept as `Unknown` and passes through untouched.
The rooms make events of their own; those that all speak of are to be had from here too.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from manyhands.model.agent.events import *
from manyhands.model.attention.events import *
from manyhands.model.box import BoxLevel, BoxMeans, Network
from manyhands.model.clock import Instant
from manyhands.model.envelope import *
from manyhands.model.ids import AgentSessionId, Oid, SessionId
from manyhands.model.jobs.events import JobEvent
from manyhands.model.landing.events import LandingEvent
from manyhands.model.landing.merge_events import MergeEvent, StackEvent, UpdateEvent
from manyhands.model.landing.tracking_events import TrackingEvent
from manyhands.model.radar.events import RadarEvent
from manyhands.model.repo.events import *
from manyhands.model.review.events import ReviewEvent
from manyhands.model.terminal.events import *
from manyhands.model.train.events import TrainEvent
from manyhands.model.workspace.events import *

Mode = Literal["plan", "ask", "edits", "auto"]
AgentKind = Literal["claude", "acp", "terminal"]
FileStatus = Literal["added", "modified", "deleted", "renamed", "typechange", "unchanged"]


# The life of a session


class SessionCreated(Event, frozen=True, kw_only=True):
    title: str
    slug: str
    repo: str
    branch: str
    base: str
    base_commit: Oid
    worktree: str
    agent: str
    kind: AgentKind
    model: str = ""
    effort: str = ""
    mode: Mode = "ask"
    budget_usd: float | None = None
    budget_minutes: float | None = None
    """A budget of its own; None: the configured one."""
    box: BoxLevel | None = None
    network: Network | None = None
    """What box it is to work in; None: as the repository or the user has it."""
    start: bool = True
    new_branch: bool = True
    """False where the branch was there before the session."""
    base_tip: Oid = Oid("")
    """The base as it was then, here or at the remote; what it goes to later is told."""
    base_given: bool = False
    """Whether a person named the base, which is then not looked for anew."""
    tip: Oid = Oid("")
    """Where the branch starts, if not at the base."""
    spare: int = 0
    """The fencing token under which a spare worktree was leased; 0: made for the session."""
    in_place: bool = False
    """The worktree is the main checkout itself."""
    adopted: bool = False
    """The worktree was there before the session."""
    origin: SessionId = SessionId("")
    """The session of which this one is a fork."""
    seed: Oid = Oid("")
    """The checkpoint whose files the worktree begins with."""
    fork_of: AgentSessionId = AgentSessionId("")
    fork_at: str = ""
    fork_in: str = ""
    """The dialogue that the agent goes on from, the point in it, and where it was led."""


class StepStarted(Event, frozen=True, kw_only=True):
    """A step of the creation saga is about to run; recorded before it does."""

    step: str


class StepFinished(Event, frozen=True, kw_only=True):
    step: str


class SessionReady(Event, frozen=True, kw_only=True):
    """All creation steps are done; agents may start."""


class SessionFailed(Event, frozen=True, kw_only=True):
    step: str
    error: str
    hint: str = ""


class SessionQueued(Event, frozen=True, kw_only=True):
    reason: str


class PlaceGranted(Event, frozen=True, kw_only=True):
    """The session may work now: it holds one of the places of `limits.working`."""


class SessionStopped(Event, frozen=True, kw_only=True):
    """A person stopped what had not begun: nothing goes on by itself before the next word."""


class SessionRenamed(Event, frozen=True, kw_only=True):
    title: str


class SessionRead(Event, frozen=True, kw_only=True):
    """A person looked at what was unread."""


class SessionArchived(Event, frozen=True, kw_only=True):
    rescue: str = ""
    trash: str = ""


class SessionRestored(Event, frozen=True, kw_only=True):
    note: str = ""


class ExpiryAnnounced(Event, frozen=True, kw_only=True):
    """What is in the trash has been there for its time; a later sweep removes it."""


class SessionRemoved(Event, frozen=True, kw_only=True):
    """The files are gone for good; `kept` is what is left of it, and where."""

    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


class ModeChanged(Event, frozen=True, kw_only=True):
    mode: Mode


class ModelChanged(Event, frozen=True, kw_only=True):
    model: str


class BoxChanged(Event, frozen=True, kw_only=True):
    """A person chose the session's box; None: as the repository or the user has it. It holds for
    the next agent that is started."""

    level: BoxLevel | None = None
    network: Network | None = None


class BoxEntered(Event, frozen=True, kw_only=True):
    """What really holds around the agent that is being started; `reason`, why it is not more."""

    level: BoxLevel
    by: BoxMeans = ""
    network: Network = "open"
    reason: str = ""
    apart: bool = False
    """Whether it has a git directory of its own, so that nothing is shared with other sessions."""


class ClockJumped(Event, frozen=True, kw_only=True):
    """The wall clock went on by so much while the agent worked, though no such time went by: it was
    set, or the machine slept."""

    seconds: float


class NoteMade(Event, frozen=True, kw_only=True):
    """Something a reader of the log must know and no other event says."""

    text: str


# Keepers


class KeeperStarted(Event, frozen=True, kw_only=True):
    """Recorded before the fork: from here on every other epoch of this session is fenced off."""

    epoch: int


class KeeperExited(Event, frozen=True, kw_only=True):
    epoch: int
    reason: str = ""


class KeeperUnreachable(Event, frozen=True, kw_only=True):
    epoch: int
    reason: str


class KeeperReached(Event, frozen=True, kw_only=True):
    epoch: int


class ConversationResumed(Event, frozen=True, kw_only=True):
    """The session goes on with a dialogue that its agent had in this worktree before."""

    agent_session: AgentSessionId


# Files


class DiffChanged(Event, frozen=True, kw_only=True):
    """One path against the base, what git would store for it, and the session's totals after it.

    A file that was moved is told by both its paths, then once more with its `old_path`: it counts
    as one.
    """

    path: str
    old_path: str = ""
    status: FileStatus
    added: int = 0
    removed: int = 0
    binary: bool = False
    mode: str = ""
    oid: str = ""
    total_added: int = 0
    total_removed: int = 0
    total_files: int = 0


class CheckpointMade(Event, frozen=True, kw_only=True):
    checkpoint: str
    commit: Oid


class CheckpointFailed(Event, frozen=True, kw_only=True):
    """What the turn left could not be kept."""

    error: str


class RewindStarted(Event, frozen=True, kw_only=True):
    """The files are about to go back; recorded before they do, after what is there was kept."""

    checkpoint: str


class SessionRewound(Event, frozen=True, kw_only=True):
    """Files are as at the checkpoint; `forked` tells whether the dialogue goes on from there."""

    checkpoint: str
    commit: Oid
    forked: bool = False
    note: str = ""


class Unknown(msgspec.Struct, frozen=True):
    """An event of a newer version: kept and shown as it came."""

    raw: msgspec.Raw = msgspec.Raw()
    type: str = ""
    session: SessionId = SessionId("")
    at: Instant = ""
    turn: int = 0


CourseEvent = (
    SessionCreated
    | StepStarted
    | StepFinished
    | SessionReady
    | SessionFailed
    | SessionArchived
    | SessionRestored
    | ExpiryAnnounced
    | SessionRemoved
    | RewindStarted
    | SessionRewound
)
"""How a session goes from step to step, from its making to its end."""
KeeperEvent = KeeperStarted | KeeperExited | KeeperUnreachable | KeeperReached
AnyEvent = (
    CourseEvent
    | KeeperEvent
    | SessionQueued
    | PlaceGranted
    | SessionStopped
    | SessionRenamed
    | SessionRead
    | ModeChanged
    | ModelChanged
    | BoxChanged
    | BoxEntered
    | ClockJumped
    | NoteMade
    | ConversationResumed
    | DiffChanged
    | CheckpointMade
    | CheckpointFailed
    | AgentEvent
    | RepoEvent
    | WorkspaceEvent
    | TerminalEvent
    | RadarEvent
    | MergeEvent
    | UpdateEvent
    | StackEvent
    | LandingEvent
    | TrackingEvent
    | AttentionEvent
    | ReviewEvent
    | JobEvent
    | TrainEvent
)
Fact = AnyEvent | Unknown

_known: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_unknown = msgspec.json.Decoder(Unknown)
_encoder = msgspec.json.Encoder()
_KNOWN_TYPES = {wire_name(t.__name__) for t in get_args(AnyEvent)}


def encode(event: Fact) -> bytes:
    """The stored body: flat JSON without `seq`."""
    if isinstance(event, Unknown):
        return bytes(event.raw)
    return _encoder.encode(event)


def decode(body: bytes | msgspec.Raw) -> Fact:
    """Raises `msgspec.ValidationError` only for a broken event of a known type or of none."""
    try:
        known: AnyEvent = _known.decode(body)
        return known
    except msgspec.ValidationError:
        unknown = _unknown.decode(body)
        if not unknown.type or unknown.type in _KNOWN_TYPES:
            raise
        return msgspec.structs.replace(unknown, raw=msgspec.Raw(bytes(body)))


def with_seq(seq: int, body: bytes) -> bytes:
    """The wire form of a stored body, without decoding it."""
    return b'{"seq":%d,%b' % (seq, body[1:])
