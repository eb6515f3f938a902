"""The hub at a glance: its counts, agents and jobs, what was used, the log of a session; and
waiting until sessions are idle, need attention or are archived."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Sequence

import msgspec

from manyhands import __version__
from manyhands.agents.catalogue import known_agents
from manyhands.contract.box import box_words
from manyhands.contract.hub import HubStatus, JobView
from manyhands.contract.sessions import Goal, SessionView, Waited, WaitOutcome
from manyhands.hub.core import Boxes, Hub, Jobs, require_session, view_of
from manyhands.hub.core.views import brief_view, status_now
from manyhands.hub.creation.new import is_unread
from manyhands.model.agent.usage import Cell, Usage
from manyhands.model.agent.views import AgentView
from manyhands.model.clock import now
from manyhands.model.ids import SessionId
from manyhands.model.jobs.job import Job
from manyhands.model.session.session import Session
from manyhands.model.state import State


def status(hub: Hub, url: str) -> HubStatus:
    counts: Counter[str] = Counter(
        status_now(hub, s) for s in hub.state.all_sessions().values() if not s.life.gone
    )
    limits, box = hub.last_settings.limits, hub.part(Boxes).machine_detail()
    return HubStatus(
        url=url,
        pid=os.getpid(),
        version=__version__,
        sessions=dict(counts),
        limits={"working": limits.working, "unread": limits.unread},
        unread=sum(map(is_unread, hub.state.all_sessions().values())),
        home=str(hub.home.root),
        last_seq=hub.store.last_seq,
        problem=hub.store.trouble.message if hub.store.trouble else "",
        hint=hub.store.trouble.hint if hub.store.trouble else "",
        faults=len(hub.faults.known),
        box=box.level,
        box_detail=box,
    )


def show(hub: Hub, ref: str) -> SessionView:
    return view_of(hub, require_session(hub.state, ref))


def list_sessions(hub: Hub, *, archived: bool, attention: bool) -> list[SessionView]:
    """Newest first."""
    sessions = sorted(hub.state.all_sessions().values(), key=lambda s: s.created_at, reverse=True)
    return [
        brief_view(hub, s)
        for s in sessions
        if (archived or not s.life.archived)
        and (not attention or any(item.awake(now()) for item in s.inbox.items))
        and not s.life.gone
    ]


async def usage(hub: Hub, *, since: str = "") -> list[Cell]:
    """The cells of the days from `since` on, oldest first."""
    facts = await hub.store.usage_facts()
    sessions = dict(hub.state.all_sessions())

    def folded() -> list[Cell]:
        fold = Usage(sessions)
        fold.take(facts)
        return [cell for cell in fold.cells(now()) if cell.day >= since]

    return await asyncio.to_thread(folded)


async def jobs(hub: Hub, *, every: bool = False) -> list[JobView]:
    """Those that are open; with `every`, all there ever were. The newest first."""
    found = await hub.store.jobs() if every else hub.state.jobs.values()
    shown = [job_view(hub, job) for job in found if every or job.is_open]
    return sorted(shown, key=lambda job: job.started_at, reverse=True)


async def cancel_job(hub: Hub, id: str) -> JobView:
    """Returns once what can be taken back is."""
    return job_view(hub, await hub.part(Jobs).cancel(id))


def job_view(hub: Hub, job: Job) -> JobView:
    s = hub.state.session(job.session)
    known = msgspec.structs.asdict(job)
    if s is not None:
        said = s.workspace.progress if job.step == "setup" else ""
        known |= {"title": s.title, "progress": job.progress or said}
    return msgspec.convert({"title": "", **known}, JobView)


async def log(hub: Hub, ref: str, *, after: int, limit: int) -> list[bytes]:
    """Bodies on the wire, in order."""
    session = require_session(hub.state, ref).id
    return [body for _, body in await hub.store.events(after, session=session, limit=limit)]


async def last_events(hub: Hub, ref: str, limit: int) -> list[bytes]:
    """The end of the log, in order."""
    session = require_session(hub.state, ref).id
    return [body for _, body in await hub.store.last_events(session, limit)]


async def agents(hub: Hub) -> list[AgentView]:
    """Known and configured agents, and whether they could be started here."""
    found = await asyncio.to_thread(known_agents, hub.settings, hub.home)
    box = hub.part(Boxes).machine_detail()
    note = box_words(box)
    return [msgspec.structs.replace(view, box=box.level, box_note=note) for view in found]


async def wait(hub: Hub, refs: Sequence[str], goal: Goal, timeout: float | None) -> Waited:
    ids = [require_session(hub.state, ref).id for ref in refs]
    outcome: WaitOutcome
    try:
        async with asyncio.timeout(timeout):
            outcome = await hub.until(lambda state: _outcome(state, ids, goal))
    except TimeoutError:
        outcome = "timeout"
    found = (hub.state.session(id) for id in ids)
    return Waited(outcome, tuple(view_of(hub, s) for s in found if s))


def _outcome(state: State, ids: Sequence[SessionId], goal: Goal) -> WaitOutcome | None:
    sessions = [s for id in ids if (s := state.session(id))]
    if all(_reached(s, goal) for s in sessions):
        return "reached"
    if goal == "idle" and any(s.inbox.calls for s in sessions):
        return "attention"
    if goal != "archived" and any(s.status == "failed" for s in sessions):
        return "failed"
    return None


def _reached(s: Session, goal: Goal) -> bool:
    match goal:
        case "idle":
            return s.status in ("idle", "archived") and (s.main.halted or not s.main.follow_ups)
        case "attention":
            return bool(s.inbox.items)
        case "archived":
            return s.life.archived
