"""The vocabulary of jobs: what a kind of work is, its steps, and a job as its steps see it.

A job is on record before anything is done, and so is each of its steps, before and after. A step's
`do` may run again after any death in its midst.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec

from manyhands.errors import ManyhandsError, NotFound
from manyhands.hub.core.hub import Hub, stamped
from manyhands.hub.core.names import require_session
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention
from manyhands.model.clock import now
from manyhands.model.ids import JobId, SessionId, fresh_id
from manyhands.model.jobs import events as j
from manyhands.model.jobs.job import ANSWER, Job
from manyhands.model.session.session import Session
from manyhands.model.state import State

A = TypeVar("A", bound=msgspec.Struct)
T = TypeVar("T")
Failure = ManyhandsError | OSError


@dataclass(frozen=True)
class StepDone:
    """How a step ended: facts recorded with its end, and what later steps need to know of it.

    An `answer` is what whoever waits for the job is given; the last one that was named holds.
    """

    events: Sequence[e.AnyEvent] = ()
    noted: dict[str, object] = field(default_factory=dict)
    answer: object = None


class Held(Exception):
    """Raised by what must wait for a person; it then runs again. The item is what to settle, the
    facts are recorded with it."""

    def __init__(self, item: Attention, *facts: e.AnyEvent) -> None:
        super().__init__(item.summary)
        self.item = item
        self.facts = facts


class Plain(msgspec.Struct, frozen=True):
    """What is asked of a job that needs to know nothing more than its session."""


class Work(Generic[A]):
    """A job as its steps see it: what was asked, and everything as it is by now."""

    def __init__(self, hub: Hub, job: JobId, asked: A) -> None:
        self.hub = hub
        self.id = job
        self.asked = asked
        self.step = ""
        """The one that it is at, begun or not."""
        self.pending: list[e.AnyEvent] = []
        """What came of the last step; it goes on record with what comes next."""

    @property
    def state(self) -> State:
        if not self.pending:
            return self.hub.state
        after = self.hub.state.layer()
        for event in self.pending:
            after.apply(event)
        return after

    @property
    def job(self) -> Job:
        return require_job(self.state, self.id)

    @property
    def session(self) -> Session:
        return require_session(self.state, self.job.session)

    def noted(self, name: str, type: Callable[..., T]) -> T:
        """What an earlier step noted under this name."""
        return msgspec.convert(self.job.noted[name], type)  # type: ignore[no-any-return]

    def add(self, *facts: e.AnyEvent) -> None:
        """To be recorded with what comes next."""
        self.pending += [stamped(fact, now()) for fact in facts]

    def finish_step(self, done: StepDone) -> None:
        noted = dict(done.noted)
        if done.answer is not None:
            noted[ANSWER] = done.answer
        finished = j.JobStepFinished(
            session=self.job.session, job=self.id, step=self.step, noted=msgspec.to_builtins(noted)
        )
        self.add(finished)

    async def report(self, text: str) -> None:
        """Tell people how far it is."""
        job = self.job
        await self.record(j.JobReported(session=job.session, job=job.id, text=text))

    async def record(self, *facts: e.AnyEvent) -> None:
        events, self.pending = (*self.pending, *facts), []
        await self.hub.record(*events)


Do = Callable[[Work[A]], Awaitable[StepDone | None]]
Check = Callable[[Work[A]], bool | Awaitable[bool]]
Undo = Callable[[Work[A]], Awaitable[None]]


async def told(answer: bool | Awaitable[bool]) -> bool:
    """What a check says, at once or in the end."""
    return answer if isinstance(answer, bool) else await answer


@dataclass(frozen=True)
class Step(Generic[A]):
    """`needed` tells cheaply whether there is anything to do; what is not needed is not recorded.

    `undo` takes back what the step did, or half did, when the job fails later or is cancelled.
    From a `final` step on there is no way back: it is finished, and cannot be cancelled.
    """

    name: str
    do: Do[A]
    needed: Check[A] = lambda work: True
    undo: Undo[A] | None = None
    final: bool = False


@dataclass(frozen=True)
class Kind(Generic[A]):
    """A way of working: its steps in order, and which facts go along with what happens to it.

    Jobs that share a lane run one after the other; by default, those of one session.
    """

    name: str
    asks: type[A]
    steps: tuple[Step[A], ...]
    lanes: Callable[[Job], tuple[Hashable, ...]] = lambda job: (job.session,)
    failed: Callable[[Work[A], Failure], Sequence[e.AnyEvent]] = lambda work, error: ()
    began: Callable[[Work[A]], Sequence[e.AnyEvent]] = lambda work: ()
    """Recorded with the beginning of each step."""
    ended: Callable[[Work[A]], Sequence[e.AnyEvent]] = lambda work: ()
    """Recorded with the end of each step."""
    finished: Callable[[Work[A]], Awaitable[Sequence[e.AnyEvent]]] | None = None
    """Recorded with the end of the whole, where it is done."""
    left: Callable[[Session], A | None] = lambda s: None
    """What is still to be done for a session that nobody sees to: an earlier version left it so."""


def started(kind: Kind[A], asked: A, session: Session, step: str = "") -> Sequence[j.JobEvent]:
    """The facts that a job begins, and its first step, for a transaction that records more."""
    job = JobId(fresh_id())
    begun = j.JobStarted(
        session=session.id,
        repo=session.repo,
        job=job,
        kind=kind.name,
        asked=msgspec.to_builtins(asked),
    )
    first = j.JobStepStarted(session=session.id, job=job, step=step)
    return (begun, first) if step else (begun,)


def left_over(state: State, kinds: Iterable[Kind[Any]]) -> Iterable[j.JobEvent]:
    """Jobs for what nobody sees to."""
    for s in list(state.all_sessions().values()):
        for kind in kinds:
            asked = kind.left(s)
            if asked is not None and open_job(state, kind.name, s.id) is None:
                yield from started(kind, asked, s)


def open_job(state: State, kind: str, session: SessionId) -> Job | None:
    return next((job for job in open_jobs(state, session) if job.kind == kind), None)


def open_jobs(state: State, session: SessionId) -> list[Job]:
    return [job for job in state.all_jobs().values() if job.is_open and job.session == session]


def require_job(state: State, id: str) -> Job:
    found = state.job(JobId(id))
    if found is None:
        raise NotFound(f"there is no job {id}", hint="`manyhands jobs --all` lists them")
    return found
