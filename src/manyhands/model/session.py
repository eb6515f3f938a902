"""A session's state as a pure fold of its events, and the status that follows from it.

Nothing sets a status: `status_of` derives it, so it cannot disagree with the facts.
The fold is total: any event in any order gives a state, because a log is never rejected
after the fact. What may be *asked* of a session in which status is `LEGAL`'s business.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model import events as e
from manyhands.model.attention import NOTICES, Attention, Resolution
from manyhands.model.clock import Instant
from manyhands.model.folds import Folds
from manyhands.model.ids import AgentSessionId, MessageId, Oid, SessionId
from manyhands.model.landing import LANDING_FOLDS, Landing
from manyhands.model.radar_events import ConflictChanged
from manyhands.model.radar_fold import RADAR_FOLDS, Merge, Update
from manyhands.model.status import Status
from manyhands.model.workspace_fold import WORKSPACE_FOLDS, DatabaseBranch

Review = Literal["none", "commented", "approved"]
SetupState = Literal["", "running", "done", "reused", "failed", "skipped"]
KeeperState = Literal["none", "live", "unreachable"]


class Message(msgspec.Struct, frozen=True):
    id: MessageId
    text: str


class Answer(msgspec.Struct, frozen=True):
    """A settled item whose answer the agent has not been given yet."""

    item: Attention
    resolution: Resolution


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
    cost_usd: float = 0.0
    budgets: int = 1
    """How many times the session's budget it may use: one, and one for every raise."""
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
    if s.in_turn or s.place or s.answers:
        return "working"
    if s.undelivered:
        return "queued"
    return "waiting" if s.attention else "idle"


def fold(s: Session, event: e.AnyEvent) -> Session:
    """The state after `event`."""
    change = _change(s, event)
    if event.at > s.updated_at and not isinstance(event, e.SessionRead):
        change["updated_at"] = event.at
    return msgspec.structs.replace(s, **change) if change else s


def _change(s: Session, event: e.AnyEvent) -> dict[str, object]:
    handler = _FOLDS.get(type(event))
    return dict(handler(s, event)) if handler else {}


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


def _user_message(s: Session, ev: e.UserMessage) -> dict[str, object]:
    message = Message(ev.message, ev.text)
    undelivered = s.undelivered
    if all(m.id != ev.message for m in undelivered):
        undelivered = (*undelivered, message)
    change: dict[str, object] = {
        "undelivered": undelivered,
        "follow_ups": tuple(f for f in s.follow_ups if f.id != ev.message),
        "last_message": ev.text if ev.by == "human" else s.last_message,
        "queued_at": s.queued_at if s.undelivered else ev.at,
        "halted": False,
        "broken": False,
        "stillborn": 0,
    }
    if s.ready:
        change["error"] = change["hint"] = ""
    return change


def _follow_up(s: Session, ev: e.FollowUpAdded) -> dict[str, object]:
    if any(f.id == ev.message for f in s.follow_ups):
        return {}
    return {"follow_ups": (*s.follow_ups, Message(ev.message, ev.text))}


def _delivered(s: Session, ev: e.MessageDelivered) -> dict[str, object]:
    return {"undelivered": tuple(m for m in s.undelivered if m.id != ev.message), "notice": ""}


def _keeper_exited(s: Session, ev: e.KeeperExited) -> dict[str, object]:
    if ev.epoch != s.epoch:
        return {}
    return {"keeper": "none", "stillborn": s.stillborn + 1 if s.undelivered else 0}


def _agent_started(s: Session, ev: e.AgentStarted) -> dict[str, object]:
    change: dict[str, object] = {"agent_session": ev.agent_session, "agent_pid": ev.pid}
    if ev.agent_session != s.agent_session:
        change["steps"] = 0
    if ev.model and not s.model:
        change["model"] = ev.model
    return change


def _agent_exited(s: Session, ev: e.AgentExited) -> dict[str, object]:
    change: dict[str, object] = {"agent_pid": 0, "in_turn": False, "place": False}
    if not ev.expected:
        change |= {"deaths": s.deaths + 1, "broken": s.in_turn}
    return change


def _step(s: Session, ev: e.AgentMessage | e.ToolCalled) -> dict[str, object]:
    # From its first step on the agent has a dialogue of its own to go on with.
    return {"steps": s.steps + 1, "deaths": 0, "fork": None}


def _turn_started(s: Session, ev: e.TurnStarted) -> dict[str, object]:
    return {
        "turn": max(ev.turn, s.turn),
        "mark": "",
        "in_turn": True,
        "place": True,
        "broken": False,
        "error": "",
        "hint": "",
    }


def _turn_finished(s: Session, ev: e.TurnFinished) -> dict[str, object]:
    change: dict[str, object] = {"in_turn": False, "place": False, "unread": True}
    change["halted"] = ev.outcome == "interrupted"
    change["mark"] = ev.mark
    if ev.outcome == "failed":
        change |= {"error": ev.error or "the turn failed", "step": "agent"}
        change["hint"] = f"`manyhands resume {s.slug}` tries again"
    return change


def _usage(s: Session, ev: e.UsageRecorded) -> dict[str, object]:
    return {
        "cost_usd": s.cost_usd + ev.cost_usd,
        "tokens_in": s.tokens_in + ev.tokens_in,
        "tokens_out": s.tokens_out + ev.tokens_out,
    }


def _raised(s: Session, ev: e.Raising) -> dict[str, object]:
    if any(i.id == ev.item.id for i in s.attention):
        return {}
    return {"attention": (*s.attention, ev.item), "unread": True}


def _resolved(s: Session, ev: e.AttentionResolved) -> dict[str, object]:
    item = next((i for i in s.attention if i.id == ev.item), None)
    if item is None:
        return {}
    change: dict[str, object] = {"attention": tuple(i for i in s.attention if i.id != ev.item)}
    if item.kind in ("plan", "permission", "question"):
        change["answers"] = (*s.answers, Answer(item, ev.resolution))
    if (item.kind, ev.resolution.option) == ("budget", "raise"):
        change["budgets"] = s.budgets + 1
    elif (item.kind, ev.resolution.option) == ("budget", "stop"):
        change["halted"] = True
    return change


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
    return {"checkpoints": (*others, made), "stand": ev.commit, **kept}


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
    e.UserMessage: _user_message,
    e.FollowUpAdded: _follow_up,
    e.MessageDelivered: _delivered,
    e.AgentMessage: _step,
    e.ToolCalled: _step,
    e.AgentStarted: _agent_started,
    e.ConversationResumed: lambda s, ev: {
        "agent_session": ev.agent_session,
        "steps": max(1, s.steps),
    },
    e.AgentExited: _agent_exited,
    e.TurnStarted: _turn_started,
    e.TurnFinished: _turn_finished,
    e.UsageRecorded: _usage,
    e.PlanProposed: _raised,
    e.PermissionRequested: _raised,
    e.QuestionAsked: _raised,
    e.AttentionRaised: _raised,
    e.AttentionResolved: _resolved,
    e.AnswerDelivered: _answer_delivered,
    e.DiffChanged: _diff,
    **WORKSPACE_FOLDS,
    **RADAR_FOLDS,
    **LANDING_FOLDS,
}
