"""The runner of jobs: the one way in which work of several steps survives a death.

It is level-triggered: it looks at the committed jobs and carries on with the first step that is not
finished, whether this hub began it or an earlier one did. The end of a step is recorded with the
beginning of the next. Whoever asked may wait for the answer, or go away: the job goes on.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import msgspec

from manyhands.errors import ManyhandsError, NotPossible, failure
from manyhands.hub.core.faults import Pauses
from manyhands.hub.core.hub import Hub, Reactor
from manyhands.hub.core.work import (
    A,
    Failure,
    Held,
    Kind,
    StepDone,
    T,
    Work,
    left_over,
    open_job,
    require_job,
    started,
    told,
)
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, JobId, SessionId
from manyhands.model.jobs import events as j
from manyhands.model.jobs.job import Job
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.store import Decision

log = logging.getLogger(__name__)
Observe = Callable[[str], None]
"""Told of each step of each job: ``before:<kind>.<step>`` (on record as begun, nothing done),
``done:`` (done, not recorded) and ``after:`` (on record as done)."""


class Jobs(Reactor):
    """Drives whatever is open, one task per job."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self.kinds: dict[str, Kind[Any]] = {}
        self.observe: Observe = lambda point: None
        self.lanes: defaultdict[Hashable, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Held while something has a session, or a repository's branches, to itself."""
        self._driven: dict[JobId, asyncio.Task[None] | None] = {}
        """By which task; None until that has begun, and once it ends."""
        self._errors: dict[JobId, Failure] = {}
        self._pauses: dict[JobId, Pauses] = {}
        self._since = now()
        hub.on(j.JobStarted, lambda event: self._consider(event.job))
        hub.on(j.JobStepFinished, self._observe_end)
        hub.on(j.JobCancelAsked, lambda event: self._cut(event.job))
        hub.on(j.JobEnded, lambda event: self._cut(event.job))
        hub.on(e.AttentionResolved, self._settled)

    async def start(
        self,
        kind: Kind[A],
        asked: A,
        session: Session,
        *facts: e.AnyEvent,
        allowed: Callable[[State], None] = lambda state: None,
        command: CommandId | None = None,
    ) -> JobId:
        """Record a job, and facts with it, if the newest state allows it.

        The same command again gives the same job, and so does whatever is asked while one of its
        kind is open for the session.
        """
        begun = started(kind, asked, session)

        def decide(state: State) -> Decision[str]:
            if (running := open_job(state, kind.name, session.id)) is not None:
                return Decision((), running.id)
            allowed(state)
            return Decision((*facts, *begun), begun[0].job)

        return JobId(await self._hub.write(decide, command=command))

    @asynccontextmanager
    async def alone(self, kind: Kind[A], session: SessionId) -> AsyncIterator[None]:
        """The session's lane, while no job of that kind is open for it."""
        while True:
            await self._hub.until(lambda state: open_job(state, kind.name, session) is None or None)
            async with self.lanes[session]:
                if open_job(self._hub.state, kind.name, session) is None:
                    yield
                    return

    def is_inherited(self, job: Job) -> bool:
        """Whether an earlier hub began it, so that whoever asked for it was cut off."""
        return job.started_at < self._since

    async def begun_by(self, command: CommandId | None) -> JobId | None:
        """The job that this very command began before."""
        seen = await self._hub.receipt(command)
        return None if seen is None else JobId(seen)

    async def answer(self, id: JobId, type: type[T]) -> T:
        """What came of the job, once it has ended; raises what it failed by."""
        return msgspec.convert((await self.end(id)).answer, type)

    async def end(self, id: JobId) -> Job:
        """The job, once it is done; raises what it failed by."""
        state = self._hub.state
        job = state.job(id) or await self._hub.store.job(id) or require_job(state, id)
        if job.is_open:
            job = await self._hub.until(lambda state: _ended(state, id))
        if job.state == "done":
            return job
        live = self._errors.pop(id, None)
        raise live if live is not None else failure(job.code, job.error, hint=job.hint)

    async def cancel(self, id: str) -> Job:
        """Stop the job where it is, and take back what it can."""

        def asked(state: State) -> Iterator[j.JobEvent]:
            job = require_job(state, id)
            if not job.is_open:
                raise NotPossible(f"the job {job.id} has ended: {job.state}")
            if self._is_past_return(job):
                raise NotPossible(f"the job {job.id} is past the point where it can be cancelled")
            yield j.JobCancelAsked(session=job.session, job=job.id)

        await self._hub.decide(asked)
        return await self._hub.until(lambda state: _ended(state, JobId(id)))

    def _observe_end(self, event: j.JobStepFinished) -> None:
        if (job := self._hub.state.job(event.job)) is not None:
            self.observe(f"after:{job.kind}.{event.step}")

    def _settled(self, event: e.AttentionResolved) -> None:
        for job in self._hub.state.jobs.values():
            if job.item == event.item:
                self._consider(job.id)

    async def run(self) -> None:
        """Carry on what an earlier hub did not finish."""
        if left := list(left_over(self._hub.state, self.kinds.values())):
            await self._hub.record(*left)
        for id in list(self._hub.state.jobs):
            self._consider(id)

    def _consider(self, id: JobId) -> None:
        job = self._hub.state.job(id)
        if job is None or not job.is_open or id in self._driven:
            return
        # What is to be cancelled need not wait for a person's answer first.
        is_held = not job.cancelling and _is_held(self._hub.state, job)
        if job.kind in self.kinds and not is_held:
            self._driven[id] = None
            self._hub.spawn(self._drive(job))

    def _cut(self, id: JobId) -> None:
        driven = self._driven.get(id)
        if driven is not None:
            driven.cancel()
        else:
            self._consider(id)

    async def _drive(self, job: Job) -> None:
        kind = self.kinds[job.kind]
        task = asyncio.current_task()
        assert task is not None
        self._driven[job.id] = task
        where = f"job {job.id} ({job.kind})"
        try:
            await self._driven_on(kind, job, task)
        except Exception as error:  # noqa: BLE001 - it is noted
            # Not even its failure could be recorded: it is where the log says, and goes on there.
            self._hub.faults.note(where, error)
            await asyncio.sleep(self._pauses.setdefault(job.id, Pauses()).after(0))
        else:
            self._hub.faults.over(where)
            self._pauses.pop(job.id, None)
        finally:
            del self._driven[job.id]
        # What it was held for may have been settled just before it let go.
        self._consider(job.id)

    async def _driven_on(self, kind: Kind[A], job: Job, task: asyncio.Task[None]) -> None:
        work: Work[Any] = Work(self._hub, job.id, kind.asks)
        work.step = job.step
        try:
            work.asked = msgspec.convert(job.asked, kind.asks)
            async with AsyncExitStack() as lanes:
                for lane in kind.lanes(job):
                    await lanes.enter_async_context(self.lanes[lane])
                await self._carry_out(kind, work)
        except asyncio.CancelledError:
            if self._hub.ending or not work.job.cancelling:
                raise
            task.uncancel()
            await self._take_back(kind, work)
        except Exception as error:
            if self._hub.store.trouble is not None:
                raise
            # A mistake of ours in a step: whoever waits is told, and nothing runs for ever.
            log.exception("job %s broke off", job.id)
            await self._fail(kind, work, ManyhandsError(f"a bug: {error!r}"))

    async def _carry_out(self, kind: Kind[A], work: Work[A]) -> None:
        if work.job.cancelling:
            await self._take_back(kind, work)
            return
        try:
            for step in kind.steps:
                work.step = step.name
                if step.name in work.job.done or not await told(step.needed(work)):
                    continue
                await self._begin(kind, work)
                done = await step.do(work) or StepDone()
                self.observe(f"done:{kind.name}.{step.name}")
                work.add(*done.events, *kind.ended(work))
                work.finish_step(done)
            if kind.finished is not None:
                work.add(*await kind.finished(work))
            await self._end(work, "done")
        except Held as held:
            await self._hold(work, held)
        except (ManyhandsError, OSError) as error:
            if self._hub.store.trouble is not None:
                raise  # what is done so far holds; once it can be recorded, the job goes on
            await self._fail(kind, work, error)

    async def _begin(self, kind: Kind[A], work: Work[A]) -> None:
        job = work.job
        if work.pending or job.step != work.step or job.state != "running":
            begun = j.JobStepStarted(session=job.session, job=job.id, step=work.step)
            await work.record(*kind.began(work), begun)
        self.observe(f"before:{job.kind}.{work.step}")

    async def _end(self, work: Work[A], end: j.JobEnd, error: Failure | None = None) -> None:
        job = work.job
        self._driven[job.id] = None
        facts: Sequence[e.AnyEvent] = ()
        if error is not None:
            self._errors[job.id] = error
            facts = self.kinds[job.kind].failed(work, error)
        ended = j.JobEnded(
            session=job.session,
            job=job.id,
            end=end,
            error=str(error or ""),
            code=getattr(error, "code", ""),
            hint=getattr(error, "hint", ""),
        )
        await work.record(*facts, ended)

    async def _hold(self, work: Work[A], held: Held) -> None:
        """A person who was asked the very same before, and has not answered, is not asked again."""
        s, item = work.session, held.item
        raised = [e.AttentionRaised(session=s.id, item=item)]
        for asked in s.inbox.items:
            if (asked.kind, asked.detail) == (item.kind, item.detail):
                item, raised = asked, []
        waits = j.JobPaused(session=s.id, job=work.id, item=item.id)
        await work.record(*held.facts, *raised, waits)

    async def _fail(self, kind: Kind[A], work: Work[A], error: Failure) -> None:
        await self._undo(kind, work)
        await self._end(work, "failed", error)

    async def _take_back(self, kind: Kind[A], work: Work[A]) -> None:
        await self._undo(kind, work)
        await self._end(work, "cancelled", NotPossible("it was cancelled"))

    async def _undo(self, kind: Kind[A], work: Work[A]) -> None:
        """Last first, the step in whose midst it is included."""
        job = work.job
        for step in reversed(kind.steps):
            if step.undo is not None and (step.name in job.done or step.name == job.step):
                try:
                    await step.undo(work)
                except Exception as error:  # noqa: BLE001 - it is noted
                    where = f"job {job.id}: {step.name} could not be taken back"
                    self._hub.faults.note(where, error)

    def _is_past_return(self, job: Job) -> bool:
        kind = self.kinds.get(job.kind)
        final = {step.name for step in kind.steps if step.final} if kind else set()
        return bool(final & {job.step, *job.done})


def _ended(state: State, id: JobId) -> Job | None:
    job = state.job(id)
    return job if job is not None and not job.is_open else None


def _is_held(state: State, job: Job) -> bool:
    """Whether what it waits for is still open."""
    s = state.session(job.session)
    return bool(job.item) and s is not None and any(i.id == job.item for i in s.inbox.items)
