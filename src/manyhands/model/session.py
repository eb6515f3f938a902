"""A session's state as a pure fold of its events, and the status that follows from it.

Nothing sets a status: `status_of` derives it, so it cannot disagree with the facts.
The fold is total: any event in any order gives a state, because a log is never rejected
after the fact. What may be *asked* of a session in which status is `LEGAL`'s business.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from manyhands.model import events as e
from manyhands.model import session_agents as agents
from manyhands.model.attention import NOTICES, Attention, snoozed
from manyhands.model.clock import Instant
from manyhands.model.folds import Folds
from manyhands.model.ids import MAIN, AgentSessionId, Oid, SessionId
from manyhands.model.landing import LANDING_FOLDS, Landing
from manyhands.model.radar_events import ConflictChanged
from manyhands.model.radar_fold import RADAR_FOLDS, Merge, Update
from manyhands.model.review import Reviewing, review_change
from manyhands.model.review_events import ReviewEvent
from manyhands.model.rules import Rule
from manyhands.model.session_parts import (
    Answer,
    Checkpoint,
    Context,
    Conversation,
    DatabaseBranch,
    Fork,
    Limit,
    Message,
    Spent,
)
from manyhands.model.status import Status
from manyhands.model.workspace_fold import WORKSPACE_FOLDS

__all__ = [
    "MOVES",
    "Answer",
    "Checkpoint",
    "Conversation",
    "DatabaseBranch",
    "Fork",
    "KeeperState",
    "Message",
    "Review",
    "Session",
    "SetupState",
    "fold",
    "status_of",
]

Review = Literal["none", "commented", "approved"]
SetupState = Literal["", "running", "done", "reused", "failed", "skipped"]
KeeperState = Literal["none", "live", "unreachable"]

MOST_NOTIFIED = 50


class Session(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: SessionId
    title: str = ""
    slug: str = ""
    repo: str = ""
    branch: str = ""
    base: str = ""
    base_commit: Oid = Oid("")
    worktree: str = ""
    agent: str = ""
    kind: e.AgentKind = "claude"
    model: str = ""
    effort: str = ""
    mode: e.Mode = "ask"
    created_at: Instant = ""
    updated_at: Instant = ""

    step: str = ""
    made: tuple[str, ...] = ()
    """Creation steps that are done."""
    ready: bool = False
    start: bool = True
    new_branch: bool = True
    base_given: bool = False
    tip: Oid = Oid("")
    """Where the branch starts, if not at the base."""
    spare: int = 0
    """The fencing token of the leased spare that the worktree is; 0 for none."""
    in_place: bool = False
    adopted: bool = False
    origin: SessionId = SessionId("")
    seed: Oid = Oid("")
    archived: bool = False
    archived_at: Instant = ""
    trash: str = ""
    expiring: Instant = ""
    """When a sweep said that the trash is due."""
    gone: bool = False
    """Removed for good; only the log is left."""
    error: str = ""
    hint: str = ""

    database: DatabaseBranch | None = None
    ports: dict[str, int] = {}
    listening: tuple[e.Listening, ...] = ()
    setup: SetupState = ""
    setup_done: tuple[str, ...] = ()
    """Setup commands that a retry need not run again."""
    progress: str = ""
    """The last line that a running setup has said."""

    place: bool = False
    reason: str = ""
    undelivered: tuple[Message, ...] = ()
    follow_ups: tuple[Message, ...] = ()
    last_message: str = ""
    queued_at: Instant = ""
    halted: bool = False
    """A person stopped the turn: follow-ups wait for the next word."""

    turn: int = 0
    in_turn: bool = False
    broken: bool = False
    """The agent died in the middle of a turn, and nothing has been done about it yet."""
    attention: tuple[Attention, ...] = ()
    answers: tuple[Answer, ...] = ()
    conversations: tuple[Conversation, ...] = ()
    """Those beside the main one."""
    todos: tuple[e.Todo, ...] = ()
    context: Context | None = None
    commands: tuple[e.AgentCommand, ...] = ()
    steers: bool = True
    heard_at: Instant = ""
    """When the agent last gave a sign of life."""
    rules: tuple[Rule, ...] = ()
    """What was allowed for this session alone."""
    limit: Limit | None = None
    notified: tuple[str, ...] = ()
    """What a person was told of last, so that nothing is told twice."""

    collisions: tuple[ConflictChanged, ...] = ()
    merging: Merge | None = None
    merged: Merge | None = None
    updating: Update | None = None
    copied: tuple[str, ...] = ()
    """Ignored files that came along, which checkpoints hold too."""
    checkpoints: tuple[Checkpoint, ...] = ()
    stand: Oid = Oid("")
    """The checkpoint that the files were last known to be at."""
    mark: str = ""
    rewinding: str = ""
    """The checkpoint that the files are being brought back to."""
    kept_before: str = ""
    """The checkpoint of what was there before that, once it is made."""
    fork: Fork | None = None
    notice: str = ""
    """What the agent is told with the next message."""

    epoch: int = 0
    keeper: KeeperState = "none"
    agent_session: AgentSessionId = AgentSessionId("")
    agent_pid: int = 0
    steps: int = 0
    """Finished model steps in the agent's own session: with none there is nothing to resume."""
    deaths: int = 0
    """Deaths of the agent since its last finished step, so that a crash loop ends."""
    stillborn: int = 0
    """Keepers that ended, one after the other, before an agent took the waiting message."""

    unread: bool = False
    review: Review = "none"
    reviewing: Reviewing = Reviewing()
    cost_usd: float = 0.0
    estimated_usd: float = 0.0
    """How much of the cost is reckoned from a table of prices."""
    budget_usd: float | None = None
    budget_minutes: float | None = None
    raises: dict[str, int] = {}
    """How often each budget was raised by an answer here, by scope and unit; each time by as much
    again. One of a repository or a day is raised for all who share it."""
    held: bool = False
    """A tool call waits for a budget."""
    overrun: int = 0
    """The turn that may be finished over budget."""
    days: dict[str, Spent] = {}
    running_since: Instant = ""
    """Since when the agent has been at work without waiting for a person."""
    tokens_in: int = 0
    tokens_out: int = 0
    added: int = 0
    removed: int = 0
    files_changed: int = 0
    landing: Landing = Landing()

    @property
    def has_worktree(self) -> bool:
        """Whether its directory was made, be the rest of the creation done or not."""
        return self.ready or "worktree" in self.made

    @property
    def is_held_up(self) -> bool:
        """Whether its agent cannot go on before a person has said something."""
        return any(item.kind not in NOTICES for item in self.attention)

    @property
    def calls(self) -> bool:
        """Whether it waits for a person; a forecast conflict is about two sessions, and no call."""
        return any(item.kind != "conflict" for item in self.attention)

    @property
    def status(self) -> Status:
        return status_of(self)


def status_of(s: Session) -> Status:
    if s.archived:
        return "archived"
    if s.error:
        return "failed"
    if s.keeper == "unreachable":
        return "unreachable"
    if s.is_held_up:
        return "waiting"
    if not s.ready:
        return "preparing"
    if s.in_turn or s.place or s.answers or any(c.in_turn for c in s.conversations):
        return "working"
    if s.undelivered or any(c.undelivered for c in s.conversations):
        return "queued"
    return "waiting" if s.calls else "idle"


def fold(s: Session, event: e.AnyEvent) -> Session:
    """The state after `event`."""
    change = _change(s, event)
    if event.at > s.updated_at and not isinstance(event, e.SessionRead | e.PersonNotified):
        change["updated_at"] = event.at
    if not change:
        return s
    after = msgspec.structs.replace(s, **change)
    timed = agents.timed(s, after, event.at)
    return msgspec.structs.replace(after, **timed) if timed else after


def _change(s: Session, event: e.AnyEvent) -> dict[str, object]:
    if event.conversation != MAIN and not isinstance(event, _SHARED):
        return agents.fold_beside(s, event)
    handler = _FOLDS.get(type(event))
    return dict(handler(s, event)) if handler else {}


_SHARED = (
    e.PlanProposed,
    e.PermissionRequested,
    e.QuestionAsked,
    e.AttentionRaised,
    e.AttentionResolved,
    e.AnswerDelivered,
    e.UsageRecorded,
    e.AgentHeld,
)
"""They concern the session, whichever conversation they come from."""


_FROM_CREATION = tuple(
    name
    for name in e.SessionCreated.__struct_fields__
    if name in Session.__struct_fields__ and name not in e.Event.__struct_fields__
)


def _created(s: Session, ev: e.SessionCreated) -> dict[str, object]:
    change: dict[str, object] = {name: getattr(ev, name) for name in _FROM_CREATION}
    if ev.fork_of:
        change |= {"fork": Fork(ev.fork_of, ev.fork_at, ev.fork_in)}
    return change | {"created_at": ev.at}


def _failed(s: Session, ev: e.SessionFailed) -> dict[str, object]:
    return {
        "error": ev.error or "failed",
        "hint": ev.hint,
        "step": ev.step,
        "place": False,
        "in_turn": False,
        "unread": True,
    }


def _keeper_exited(s: Session, ev: e.KeeperExited) -> dict[str, object]:
    if ev.epoch != s.epoch:
        return {}
    return {"keeper": "none", "stillborn": s.stillborn + 1 if s.undelivered else 0}


def _raised(s: Session, ev: e.Raising) -> dict[str, object]:
    if any(i.id == ev.item.id for i in s.attention):
        return {}
    return {"attention": (*s.attention, ev.item), "unread": True}


def _answer_delivered(s: Session, ev: e.AnswerDelivered) -> dict[str, object]:
    return {"answers": tuple(a for a in s.answers if a.item.id != ev.item)}


def _diff(s: Session, ev: e.DiffChanged) -> dict[str, object]:
    return {"added": ev.total_added, "removed": ev.total_removed, "files_changed": ev.total_files}


MOVES = ("archive", "restore", "rewind", "update")
"""Steps of a session that is ready already: its files are on their way."""


def _step_finished(s: Session, ev: e.StepFinished) -> dict[str, object]:
    if ev.step in MOVES:
        return {"step": "", "rewinding": "", "kept_before": ""}
    return {} if ev.step in s.made else {"made": (*s.made, ev.step)}


def _checkpoint(s: Session, ev: e.CheckpointMade) -> dict[str, object]:
    made = Checkpoint(
        id=ev.checkpoint,
        turn=ev.turn,
        at=ev.at,
        commit=ev.commit,
        before=s.stand,
        agent_session=s.fork.agent_session if s.fork else s.agent_session,
        mark=s.fork.mark if s.fork else s.mark,
    )
    others = tuple(c for c in s.checkpoints if c.id != made.id)
    kept = {"kept_before": made.id} if s.rewinding else {}
    # A person's own, in the middle of a turn, must not cut the turn's changes in two.
    stand = s.stand if s.in_turn and "." in ev.checkpoint else ev.commit
    return {"checkpoints": (*others, made), "stand": stand, **kept}


def _rewound(s: Session, ev: e.SessionRewound) -> dict[str, object]:
    change: dict[str, object] = {
        "rewinding": "",
        "kept_before": "",
        "step": "",
        "error": "",
        "hint": "",
        "stand": ev.commit,
        "notice": "" if ev.forked else ev.note,
    }
    target = next((c for c in s.checkpoints if c.id == ev.checkpoint), None)
    if not ev.forked or target is None:
        return change
    change |= {"agent_session": target.agent_session, "mark": target.mark, "steps": 0}
    return change | {"fork": Fork(target.agent_session, target.mark) if target.mark else None}


def _archived(s: Session, ev: e.SessionArchived) -> dict[str, object]:
    return {
        "archived": True,
        "place": False,
        "in_turn": False,
        "archived_at": ev.at,
        "step": "",
        "trash": ev.trash,
        "unread": False,
        "listening": (),
    }


_RESTORED = {"archived": False, "archived_at": "", "trash": "", "step": "", "expiring": ""}
_FOLDS: Folds = {
    **dict.fromkeys(get_args(ReviewEvent), lambda s, ev: review_change(s.reviewing, ev)),
    e.SessionCreated: _created,
    e.StepStarted: lambda s, ev: {"step": ev.step, "error": "", "hint": ""},
    e.StepFinished: _step_finished,
    e.SessionReady: lambda s, ev: {"ready": True, "step": ""},
    e.SessionFailed: _failed,
    e.SessionQueued: lambda s, ev: {"reason": ev.reason},
    e.PlaceGranted: lambda s, ev: {"place": True, "reason": ""},
    e.SessionStopped: lambda s, ev: {"halted": True, "broken": False},
    e.SessionRenamed: lambda s, ev: {"title": ev.title},
    e.SessionRead: lambda s, ev: {"unread": False},
    e.SessionArchived: _archived,
    e.SessionRestored: lambda s, ev: _RESTORED,
    e.ExpiryAnnounced: lambda s, ev: {"expiring": ev.at},
    e.SessionRemoved: lambda s, ev: {"archived": True, "gone": True, "trash": "", "step": ""},
    e.CheckpointMade: _checkpoint,
    e.RewindStarted: lambda s, ev: {"rewinding": ev.checkpoint, "step": "rewind"},
    e.SessionRewound: _rewound,
    e.ModeChanged: lambda s, ev: {"mode": ev.mode},
    e.ModelChanged: lambda s, ev: {"model": ev.model},
    e.KeeperStarted: lambda s, ev: {"epoch": ev.epoch, "keeper": "live"},
    e.KeeperExited: _keeper_exited,
    e.KeeperUnreachable: lambda s, ev: {"keeper": "unreachable", "reason": ev.reason},
    e.KeeperReached: lambda s, ev: {"keeper": "live", "reason": ""},
    e.ConversationResumed: lambda s, ev: {
        "agent_session": ev.agent_session,
        "steps": max(1, s.steps),
    },
    e.PlanProposed: _raised,
    e.PermissionRequested: _raised,
    e.QuestionAsked: _raised,
    e.AttentionRaised: _raised,
    e.AnswerDelivered: _answer_delivered,
    e.AttentionSnoozed: lambda s, ev: {"attention": snoozed(s.attention, ev.item, ev.until)},
    e.PersonNotified: lambda s, ev: {"notified": (*s.notified[-MOST_NOTIFIED:], ev.about)},
    e.DiffChanged: _diff,
    **agents.FOLDS,
    **WORKSPACE_FOLDS,
    **RADAR_FOLDS,
    **LANDING_FOLDS,
}
