"""What is recorded of a job: that it began, each of its steps, what it waits for, how it ended."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.envelope import Event
from manyhands.model.ids import AttentionId, JobId

JobEnd = Literal["done", "failed", "cancelled"]


class JobStarted(Event, frozen=True, kw_only=True):
    """`asked` is what the job was asked to do: all it needs to begin anew after a death."""

    job: JobId
    kind: str
    repo: str = ""
    asked: dict[str, object] = msgspec.field(default_factory=dict)


class JobStepStarted(Event, frozen=True, kw_only=True):
    """On record before anything of the step is done."""

    job: JobId
    step: str


class JobStepFinished(Event, frozen=True, kw_only=True):
    """`noted` is what later steps, or the answer, need of this one."""

    job: JobId
    step: str
    noted: dict[str, object] = msgspec.field(default_factory=dict)


class JobReported(Event, frozen=True, kw_only=True):
    """How far the step is, for people."""

    job: JobId
    text: str


class JobPaused(Event, frozen=True, kw_only=True):
    """It goes on once this item is settled."""

    job: JobId
    item: AttentionId


class JobCancelAsked(Event, frozen=True, kw_only=True):
    job: JobId


class JobEnded(Event, frozen=True, kw_only=True):
    """A failure says how it is told to people."""

    job: JobId
    end: JobEnd
    code: str = ""
    error: str = ""
    hint: str = ""


JobEvent = (
    JobStarted
    | JobStepStarted
    | JobStepFinished
    | JobReported
    | JobPaused
    | JobCancelAsked
    | JobEnded
)
