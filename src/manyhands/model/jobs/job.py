"""A job's state as a fold of its events."""

from __future__ import annotations

from typing import Literal, assert_never

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.ids import AttentionId, JobId, SessionId
from manyhands.model.jobs import events as j

JobState = Literal["running", "waiting", "done", "failed", "cancelled"]

ANSWER = "answer"
"""Under which name a step notes the job's answer, so that it is there after a death too."""


class Job(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: JobId
    kind: str = ""
    session: SessionId = SessionId("")
    repo: str = ""
    state: JobState = "running"
    asked: dict[str, object] = {}
    noted: dict[str, object] = {}
    step: str = ""
    """The step that is on record as begun and not as finished."""
    done: tuple[str, ...] = ()
    progress: str = ""
    item: AttentionId = AttentionId("")
    """What it waits for."""
    cancelling: bool = False
    started_at: Instant = ""
    ended_at: Instant = ""
    answer: object = None
    code: str = ""
    error: str = ""
    hint: str = ""

    @property
    def is_open(self) -> bool:
        return self.state in ("running", "waiting")


def fold_job(job: Job, event: j.JobEvent) -> Job:
    """Total: a job that has ended stays as it ended."""
    change = msgspec.structs.replace
    if not job.is_open:
        return job
    match event:
        case j.JobStarted():
            return Job(
                id=event.job,
                kind=event.kind,
                session=event.session,
                repo=event.repo,
                asked=event.asked,
                started_at=event.at,
            )
        case j.JobStepStarted():
            return change(job, step=event.step, state="running", item="", progress="")
        case j.JobStepFinished():
            done = (*job.done, event.step)
            return change(job, step="", done=done, noted={**job.noted, **event.noted}, progress="")
        case j.JobReported():
            return change(job, progress=event.text)
        case j.JobPaused():
            return change(job, state="waiting", item=event.item)
        case j.JobCancelAsked():
            return change(job, cancelling=True)
        case j.JobEnded():
            return change(
                job,
                state=event.end,
                ended_at=event.at,
                item="",
                answer=job.noted.get(ANSWER),
                code=event.code,
                error=event.error,
                hint=event.hint,
            )
        case _:
            assert_never(event)
