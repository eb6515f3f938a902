"""A session's state as a pure fold of its events, and the status that follows from it.

A session is made of parts, each in a module of its own with the closed union of the events that
concern it. Nothing sets a status: `status_of` derives it, so it cannot disagree with the facts.
The fold is total: any event in any order gives a state, because a log is never rejected
after the fact.
"""

from __future__ import annotations

from typing import Generic, Literal, TypeGuard, TypeVar, assert_never, get_args

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.agent import conversation
from manyhands.model.agent.conversation import Conversation, ConversationEvent, Conversations, Fork
from manyhands.model.agent.rules import Rule
from manyhands.model.attention import inbox
from manyhands.model.attention.inbox import Inbox, InboxEvent
from manyhands.model.clock import Instant
from manyhands.model.ids import MAIN, SessionId
from manyhands.model.jobs.events import JobEvent
from manyhands.model.landing import landing, merges, tracking
from manyhands.model.landing.events import LandingEvent
from manyhands.model.landing.landing import Landing
from manyhands.model.landing.merges import Merges, MergesEvent
from manyhands.model.landing.tracking import Tracking
from manyhands.model.landing.tracking_events import TrackingEvent
from manyhands.model.radar.events import ConflictChanged
from manyhands.model.review import review
from manyhands.model.review.events import ReviewEvent
from manyhands.model.review.review import Reviewing
from manyhands.model.session import boxing, budget, history, life, place
from manyhands.model.session.boxing import Boxing, BoxingEvent
from manyhands.model.session.budget import Budget, BudgetEvent, Spending, fold_spending, timed
from manyhands.model.session.history import History, HistoryEvent
from manyhands.model.session.life import Life, LifeEvent
from manyhands.model.session.place import KeeperEvent, KeeperLife, Place, PlaceEvent
from manyhands.model.terminal import terminals
from manyhands.model.terminal.events import TerminalEvent
from manyhands.model.terminal.terminals import Terminals
from manyhands.model.train.events import TrainEvent
from manyhands.model.workspace import workspace
from manyhands.model.workspace.workspace import Totals, Workspace, WorkspaceEvent

Status = Literal[
    "queued", "preparing", "idle", "working", "waiting", "failed", "unreachable", "archived"
]

T = TypeVar("T")


class Concern(Generic[T]):
    """Whether an event is of a closed union; far quicker than `isinstance` with a union of many."""

    def __init__(self, union: object) -> None:
        self.types = frozenset[object](get_args(union) or (union,))

    def __call__(self, event: object) -> TypeGuard[T]:
        return type(event) in self.types


class Session(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: SessionId
    title: str = ""
    slug: str = ""
    repo: str = ""
    origin: SessionId = SessionId("")
    """The session of which this one is a fork."""
    mode: e.Mode = "ask"
    rules: tuple[Rule, ...] = ()
    """What was allowed for this session alone."""
    created_at: Instant = ""
    updated_at: Instant = ""

    life: Life = Life()
    workspace: Workspace = Workspace()
    totals: Totals = Totals()
    conversations: Conversations = msgspec.field(default_factory=conversation.fresh)
    place: Place = Place()
    keeper: KeeperLife = KeeperLife()
    inbox: Inbox = Inbox()
    boxing: Boxing = Boxing()
    budget: Budget = Budget()
    spending: Spending = Spending()
    history: History = History()
    review: Reviewing = Reviewing()
    landing: Landing = Landing()
    merges: Merges = Merges()
    tracking: Tracking = Tracking()
    terminals: Terminals = ()
    collisions: Collisions = ()

    @property
    def main(self) -> Conversation:
        return self.conversations[MAIN]

    @property
    def others(self) -> tuple[Conversation, ...]:
        """The conversations other than main."""
        return tuple(c for c in self.conversations.values() if c.id != MAIN)

    @property
    def works(self) -> bool:
        """Whether any agent of it is in a turn."""
        return conversation.any_in_turn(self.conversations)

    @property
    def status(self) -> Status:
        return status_of(self)


def status_of(s: Session) -> Status:
    if s.life.archived:
        return "archived"
    if s.life.error:
        return "failed"
    if s.keeper.state == "unreachable":
        return "unreachable"
    if s.inbox.is_held_up:
        return "waiting"
    if not s.life.ready:
        return "preparing"
    if s.place.granted or s.inbox.answers or s.works:
        return "working"
    if any(c.undelivered for c in s.conversations.values()):
        return "queued"
    return "waiting" if s.inbox.calls else "idle"


# Which event concerns what

OwnEvent = (
    e.SessionCreated
    | e.SessionRenamed
    | e.ModeChanged
    | e.SessionRuleAdded
    | e.SessionRuleRemoved
    | e.DiffChanged
    | e.ClockJumped
    | ConflictChanged
)
SharedEvent = e.Raising | e.AttentionResolved | e.AnswerDelivered | e.UsageRecorded | e.AgentHeld
"""They concern the session, whichever conversation they come from, known or not."""
Inconsequential = (
    e.AgentThought
    | e.Compacted
    | e.PermissionDecided
    | e.NoteMade
    | e.RepoEvent
    | JobEvent
    | TrainEvent
)
"""They are for readers of the log, or another's: no state of the session follows from them."""

_of_own = Concern[OwnEvent](OwnEvent)
_of_life = Concern[LifeEvent](LifeEvent)
_of_workspace = Concern[WorkspaceEvent](WorkspaceEvent)
_of_keeper = Concern[KeeperEvent](KeeperEvent)
_of_boxing = Concern[BoxingEvent](BoxingEvent)
_of_history = Concern[HistoryEvent](HistoryEvent)
_of_review = Concern[ReviewEvent](ReviewEvent)
_of_landing = Concern[LandingEvent](LandingEvent)
_of_merges = Concern[MergesEvent](MergesEvent)
_of_tracking = Concern[TrackingEvent](TrackingEvent)
_of_terminals = Concern[TerminalEvent](TerminalEvent)
_of_conversations = Concern[ConversationEvent](ConversationEvent)
_of_place = Concern[PlaceEvent](PlaceEvent)
_of_inbox = Concern[InboxEvent](InboxEvent)
_of_budget = Concern[BudgetEvent](BudgetEvent)
_of_any = Concern[SharedEvent](SharedEvent)
_SHARED = _of_conversations.types | _of_place.types | _of_inbox.types | _of_budget.types
_MAINS = _of_own.types | _of_life.types | _of_workspace.types | _of_keeper.types
_MAINS |= _of_history.types | _of_review.types | _of_landing.types | _of_merges.types
_MAINS |= _of_tracking.types | _of_boxing.types | _of_terminals.types
_UNSEEN = frozenset((e.SessionRead, e.PersonNotified, e.ClockJumped))
"""A person looks, or is told, or the clock is set: the session is as it was."""


def fold(s: Session, event: e.AnyEvent) -> Session:
    """The state after `event`."""
    known = event.conversation in s.conversations or isinstance(event, e.ConversationOpened)
    change = _shared(s, event) if type(event) in _SHARED and (known or _of_any(event)) else {}
    if event.conversation == MAIN and type(event) in _MAINS:
        change |= _of_main(s, event)
    if event.at > s.updated_at and type(event) not in _UNSEEN:
        change["updated_at"] = event.at
    if not change:
        return s
    after = replace(s, **change)
    is_same = after.place is s.place and after.inbox is s.inbox
    if is_same or _runs(s) == (runs := _runs(after)):
        return after
    return replace(after, spending=timed(after.spending, runs, event.at))


def _runs(s: Session) -> bool:
    return s.works and not s.inbox.is_held_up


def _shared(s: Session, event: e.AnyEvent) -> dict[str, object]:
    """What follows for the parts that an event of any conversation concerns."""
    change: dict[str, object] = {}
    after = s.conversations
    if _of_conversations(event):
        after = change["conversations"] = conversation.fold_all(s.conversations, event)
    if _of_place(event):
        change["place"] = place.fold_place(s.place, event, s.conversations, after)
    if _of_inbox(event):
        change["inbox"] = inbox.fold(s.inbox, event)
    if _of_budget(event):
        change["budget"] = budget.fold(s.budget, event, after)
    if type(event) is e.UsageRecorded:
        change["spending"] = fold_spending(s.spending, event)
    if type(event) is e.AgentMessage and s.review.comments and event.conversation == MAIN:
        change["review"] = review.fold(s.review, event)
    if type(event) is e.AttentionResolved and (item := s.inbox.item(event.item)):
        main = conversation.settled(s.main, item, event.resolution)
        change["conversations"] = {**s.conversations, MAIN: main}
        change["budget"] = budget.settled(s.budget, item, event.resolution, s.main)
    return change


def _of_main(s: Session, event: e.AnyEvent) -> dict[str, object]:
    """What follows for the parts that only events of the main conversation, or of none, concern."""
    change = _own(s, event) if _of_own(event) else {}
    if change and type(event) is not e.SessionCreated:
        return change
    if _of_life(event):
        change["life"] = life.fold(s.life, event, s.slug)
    if _of_workspace(event):
        change["workspace"] = workspace.fold(s.workspace, event)
    if _of_keeper(event):
        change["keeper"] = place.fold_keeper(s.keeper, event, bool(s.main.undelivered))
    if _of_boxing(event):
        change["boxing"] = boxing.fold(s.boxing, event)
    if _of_history(event):
        change["history"] = history.fold(s.history, event, s.main)
    if _of_review(event):
        change["review"] = review.fold(s.review, event)
    if _of_terminals(event):
        change["terminals"] = terminals.fold(s.terminals, event)
    change |= _landed(s, event)
    if isinstance(event, e.SessionRewound):
        target = s.history.checkpoint(event.checkpoint)
        point = Fork(target.agent_session, target.mark) if target else None
        main = conversation.rewound(s.main, event, point)
        change["conversations"] = {**s.conversations, MAIN: main}
    return change


def _landed(s: Session, event: e.AnyEvent) -> dict[str, object]:
    """What follows for the parts that tell how far the work has got beyond the session."""
    if _of_landing(event):
        return {"landing": landing.fold(s.landing, event)}
    if _of_merges(event):
        return {"merges": merges.fold(s.merges, event, s.workspace.base_commit)}
    return {"tracking": tracking.fold(s.tracking, event)} if _of_tracking(event) else {}


def _own(s: Session, event: OwnEvent) -> dict[str, object]:
    match event:
        case e.DiffChanged():
            return {"totals": Totals(event.total_added, event.total_removed, event.total_files)}
        case ConflictChanged():
            return {"collisions": fold_collisions(s.collisions, event)}
        case e.ClockJumped():
            return {"spending": budget.jumped(s.spending, event.seconds)}
        case e.SessionRenamed():
            return {"title": event.title}
        case e.ModeChanged():
            return {"mode": event.mode}
        case e.SessionRuleAdded():
            rule = Rule(event.tool, event.command, event.kind)
            return {} if rule in s.rules else {"rules": (*s.rules, rule)}
        case e.SessionRuleRemoved():
            rule = Rule(event.tool, event.command, event.kind)
            return {"rules": tuple(known for known in s.rules if known != rule)}
        case e.SessionCreated():
            return {
                "title": event.title,
                "slug": event.slug,
                "repo": event.repo,
                "origin": event.origin,
                "mode": event.mode,
                "created_at": event.at,
            }
        case _:
            assert_never(event)


Collisions = tuple[ConflictChanged, ...]


def fold_collisions(collisions: Collisions, event: ConflictChanged) -> Collisions:
    """What a session keeps of the radar: with whom it collides now."""
    pair = (event.other, event.base)
    others = tuple(c for c in collisions if (c.other, c.base) != pair)
    return (*others, event) if event.paths else others
