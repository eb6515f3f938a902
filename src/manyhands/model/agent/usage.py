"""What was used, folded from events: cost, tokens and time, per day, session and model.

A session's time runs while it is in a turn: *working*, or *waiting* while something is open
that a person must settle. What is open after the turn counts as waiting too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from manyhands.model import events as e
from manyhands.model.clock import Instant, later, local_day, local_days
from manyhands.model.ids import SessionId
from manyhands.model.session.budget import added
from manyhands.model.session.session import Session

SUMS = ("turns", "tokens_in", "tokens_out", "cost_usd", "working_seconds", "waiting_seconds")
_Key = tuple[str, SessionId, str]


class Cell(msgspec.Struct, kw_only=True):
    """One day's use of one model in one session; sums of cells are all that usage is."""

    day: str
    session: SessionId
    title: str = ""
    repo: str = ""
    agent: str = ""
    model: str = ""
    turns: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    working_seconds: float = 0.0
    waiting_seconds: float = 0.0


@dataclass
class _Course:
    """Where a session's time stands between two events."""

    since: Instant = ""
    in_turn: bool = False
    open: set[str] = field(default_factory=set)
    model: str = ""
    first: str = ""


class Usage:
    def __init__(self, sessions: Mapping[SessionId, Session]) -> None:
        self._sessions = sessions
        self._cells: dict[_Key, Cell] = {}
        self._courses: dict[SessionId, _Course] = {}

    def take(self, facts: Iterable[e.Fact]) -> None:
        for fact in facts:
            if isinstance(fact, e.Unknown) or not fact.session:
                continue
            course = self._courses.setdefault(fact.session, _Course())
            if isinstance(fact, e.ClockJumped):
                self._settle(fact.session, course, later(fact.at, -fact.seconds))
                course.since = fact.at
                continue
            self._settle(fact.session, course, fact.at)
            self._apply(course, fact)

    def cells(self, now: Instant) -> list[Cell]:
        """All there is up to now, oldest day first; what runs still counts until now."""
        for session, course in self._courses.items():
            self._settle(session, course, now)
        named: dict[_Key, Cell] = {}
        for cell in map(self._named, self._cells.values()):
            key = (cell.day, cell.session, cell.model)
            named[key] = _sum(named[key], cell) if key in named else cell
        return [_rounded(named[key]) for key in sorted(named)]

    def _named(self, cell: Cell) -> Cell:
        """What came before the first record is that record's model's, or else the session's."""
        s = self._sessions.get(cell.session) or Session(id=cell.session)
        first = self._courses[cell.session].first
        about = {"title": s.title, "repo": s.repo, "agent": s.main.agent}
        return msgspec.structs.replace(cell, model=cell.model or first or s.main.model, **about)

    def _settle(self, session: SessionId, course: _Course, at: Instant) -> None:
        if course.since and (course.in_turn or course.open):
            for day, seconds in local_days(course.since, at):
                cell = self._cell(day, session, course.model)
                if course.open:
                    cell.waiting_seconds += seconds
                else:
                    cell.working_seconds += seconds
        course.since = max(course.since, at)

    def _apply(self, course: _Course, fact: e.AnyEvent) -> None:
        match fact:
            case e.UsageRecorded():
                course.model = fact.model or course.model
                course.first = course.first or course.model
                cell = self._cell(local_day(fact.at), fact.session, course.model)
                cell.tokens_in += fact.tokens_in
                cell.tokens_out += fact.tokens_out
                cell.cost_usd = added(cell.cost_usd, fact.cost_usd)
            case e.TurnStarted():
                course.in_turn = True
            case e.TurnFinished():
                course.in_turn = False
                self._cell(local_day(fact.at), fact.session, course.model).turns += 1
            case e.AgentExited():
                course.in_turn = False
            case e.SessionArchived():
                course.in_turn = False
                course.open.clear()
            case e.AttentionResolved():
                course.open.discard(fact.item)
            case (
                e.PlanProposed() | e.PermissionRequested() | e.QuestionAsked() | e.AttentionRaised()
            ):
                course.open.add(fact.item.id)

    def _cell(self, day: str, session: SessionId, model: str) -> Cell:
        fresh = Cell(day=day, session=session, model=model)
        return self._cells.setdefault((day, session, model), fresh)


def _sum(a: Cell, b: Cell) -> Cell:
    sums = {name: getattr(a, name) + getattr(b, name) for name in SUMS}
    return msgspec.structs.replace(a, **sums)


def _rounded(cell: Cell) -> Cell:
    return msgspec.structs.replace(
        cell,
        cost_usd=round(cell.cost_usd, 6),
        working_seconds=round(cell.working_seconds, 1),
        waiting_seconds=round(cell.waiting_seconds, 1),
    )
