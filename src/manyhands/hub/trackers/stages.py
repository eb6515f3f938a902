"""How far a session's work on its issues is, as everyone else would put it."""

from __future__ import annotations

from manyhands.model.landing.tracking_events import Stage
from manyhands.model.session.session import Session

STAGES: tuple[Stage, ...] = ("in_progress", "in_review", "done")


def stage_of(s: Session) -> Stage | None:
    """None before its agent was first at work."""
    pr = s.landing.pr
    if (pr is not None and pr.state == "merged") or merged_here(s):
        return "done"
    if pr is not None and pr.state in ("open", "draft"):
        return "in_review"
    return "in_progress" if s.main.turn or s.main.in_turn else None


def merged_here(s: Session) -> bool:
    """Into what it started from; a merge elsewhere brings it to nobody yet."""
    last, base = s.merges.last, s.workspace.base
    return last is not None and last.into in (base, base.partition("/")[2])


def evidence(s: Session) -> str:
    """What shows it: the pull request, or the commit."""
    pr, last = s.landing.pr, s.merges.last
    if pr is not None and pr.url:
        return pr.url
    return f"{last.into} {last.commit[:12]}" if last is not None else ""


def is_further(stage: Stage, than: Stage) -> bool:
    return STAGES.index(stage) > STAGES.index(than)
