"""The life of a session: made step by step, failed and mended, archived, restored, removed."""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.clock import Instant
from manyhands.model.landing.merge_events import UpdateAborted, UpdateApplied, UpdateStarted

MOVES = ("archive", "restore", "rewind", "update")
"""Steps of a session that is ready already: its files are on their way."""


class Life(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    start: bool = True
    step: str = ""
    made: tuple[str, ...] = ()
    """Creation steps that are done."""
    ready: bool = False
    error: str = ""
    hint: str = ""
    archived: bool = False
    archived_at: Instant = ""
    trash: str = ""
    expiring: Instant = ""
    """When a sweep said that the trash is due."""
    gone: bool = False
    """Removed for good; only the log is left."""

    @property
    def has_worktree(self) -> bool:
        """Whether its directory was made, be the rest of the creation done or not."""
        return self.ready or "worktree" in self.made


LifeEvent = (
    e.CourseEvent
    | UpdateStarted
    | UpdateApplied
    | UpdateAborted
    | e.UserMessage
    | e.TurnStarted
    | e.TurnFinished
)


def fold(life: Life, event: LifeEvent, slug: str) -> Life:
    match event:
        case e.UserMessage():
            return _mended(life) if life.ready else life
        case e.TurnStarted():
            return _mended(life)
        case e.TurnFinished():
            return _turn_finished(life, event, slug)
        case e.StepStarted():
            return replace(_mended(life), step=event.step)
        case e.StepFinished():
            if event.step in MOVES:
                return replace(life, step="")
            return life if event.step in life.made else replace(life, made=(*life.made, event.step))
        case e.SessionReady():
            return replace(life, ready=True, step="")
        case e.SessionFailed():
            return replace(life, error=event.error or "failed", hint=event.hint, step=event.step)
        case e.SessionArchived():
            return replace(life, archived=True, archived_at=event.at, trash=event.trash, step="")
        case e.SessionRestored():
            return replace(life, archived=False, archived_at="", trash="", expiring="", step="")
        case e.ExpiryAnnounced():
            return replace(life, expiring=event.at)
        case e.SessionRemoved():
            return replace(life, archived=True, gone=True, trash="", step="")
        case e.RewindStarted():
            return replace(life, step="rewind")
        case UpdateStarted():
            return replace(life, step="update")
        case e.SessionRewound() | UpdateApplied():
            return replace(_mended(life), step="")
        case UpdateAborted():
            return replace(life, step="")
        case e.SessionCreated():
            return replace(life, start=event.start)
        case _:
            assert_never(event)


def _mended(life: Life) -> Life:
    return replace(life, error="", hint="") if life.error or life.hint else life


def _turn_finished(life: Life, event: e.TurnFinished, slug: str) -> Life:
    if event.outcome != "failed" or event.limited:
        return life
    hint = f"`manyhands resume {slug}` tries again"
    return replace(life, error=event.error or "the turn failed", hint=hint, step="agent")
