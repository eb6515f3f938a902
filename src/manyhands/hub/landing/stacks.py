"""A stack follows what it stands on: once that has landed, pull request and base go where it went.

Level-triggered: it looks at the committed state, so that a death in between changes nothing. The
pull request is re-targeted first, which is harmless to repeat; then the new base is on record.
Where what landed has another shape than what the session stands on, as after a squash, its own
commits are put on top by an ordinary update, as soon as its agent rests and its work is committed,
and the branch is pushed if all of it was before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import msgspec

from manyhands.errors import ManyhandsError, NotFound, NotPossible
from manyhands.hub.core import Hub, Reactor, fresh_item, require_session, worktree_of
from manyhands.hub.core.faults import Pauses
from manyhands.hub.fleet.places import is_moving
from manyhands.hub.forge.forge import open_forge
from manyhands.hub.landing.desk import is_at_work
from manyhands.hub.landing.pr import seen
from manyhands.hub.landing.push import destination, findings, push, require_accepted
from manyhands.hub.landing.stack import Landed, landed, parent_of, restacked
from manyhands.hub.landing.update import require_onto, update
from manyhands.hub.repos.bases import Bases
from manyhands.model import events as e
from manyhands.model.attention.attention import SEEN_OPTIONS, Resolution
from manyhands.model.ids import Oid, SessionId
from manyhands.model.landing import events as le
from manyhands.model.landing import merge_events as m
from manyhands.model.radar.events import BaseMoved
from manyhands.model.session.session import Session
from manyhands.station.landing.push import fetch_landed, load_tip
from manyhands.station.landing.restack import Below, StackStanding, load_stack, try_restack

WHERE = "stacks that follow their base"


class Stacks(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._stirred = asyncio.Event()
        self._apart: set[tuple[SessionId, Oid]] = set()
        """Sessions that stand on more than what landed from below them: that stays their base."""
        hub.on(le.PrChanged, self._pr_changed)
        for kind in (m.SessionMerged, m.UpdateApplied, m.UpdateFinished, le.CommitMade):
            hub.on(kind, self._heard)
        hub.on(e.TurnFinished, self._heard)
        hub.on(BaseMoved, self._heard)
        hub.on(e.SessionReady, self._heard)

    def _heard(self, event: e.Event) -> None:
        self._stirred.set()

    def _pr_changed(self, event: le.PrChanged) -> None:
        if event.pr.state == "merged":
            self._stirred.set()

    async def run(self) -> None:
        pauses = Pauses()
        while True:
            self._stirred.clear()
            wait = None
            try:
                await self._follow_all()
            except (ManyhandsError, OSError) as error:
                self._hub.faults.note(WHERE, error)
                wait = pauses.after(0)
            else:
                self._hub.faults.over(WHERE)
                pauses = Pauses()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stirred.wait(), wait)

    async def _follow_all(self) -> None:
        """One that cannot follow now keeps none of the others from it."""
        failed: ManyhandsError | OSError | None = None
        for id in list(self._hub.state.all_sessions()):
            try:
                if (s := self._hub.state.session(id)) is not None:
                    await self._see_to(s)
            except (ManyhandsError, OSError) as error:
                failed = error
        if failed is not None:
            raise failed

    async def _see_to(self, s: Session) -> None:
        if s.life.archived or not s.life.ready or s.workspace.in_place:
            return
        if moot := list(_moot(s)):
            await self._hub.record(*moot)
        if restacked(s):
            await _carry_over(self._hub, s)
            return
        parent = parent_of(self._hub.state, s)
        done = landed(parent) if parent else None
        if parent is None or done is None or (s.id, done.tip) in self._apart:
            return
        if not await _follow(self._hub, s, parent, done):
            self._apart.add((s.id, done.tip))


async def _follow(hub: Hub, s: Session, parent: Session, done: Landed) -> bool:
    """Whether the session stands on what has landed, and on no more of that branch."""
    standing = await _standing(hub, s, parent, done)
    if standing.waits:
        return True
    if not standing.has_landed:
        raise NotPossible(
            f"{done.into} is not known here with what {parent.slug} has landed in it, so that "
            f"{s.slug} cannot follow yet",
            hint="the remote is asked again",
        )
    if not standing.stood_on_it:
        return False
    seen_pr = await _retarget(hub, s, parent, done)
    tip = await load_tip(worktree_of(hub, s))
    moves = not standing.has_own
    pushes = moves and seen_pr is not None and s.landing.pushed == tip
    pr = parent.landing.pr
    how = f"{pr.called} of {parent.slug}" if pr is not None and done.number else parent.slug
    later = "; its own commits are put on top of that as soon as it rests" if moves else ""
    text = f"{how} has landed in {done.into}, which is the base from now on{later}"
    events: list[e.AnyEvent] = [
        m.BaseLanded(
            session=s.id,
            base=standing.base,
            was=s.workspace.base,
            by=parent.id,
            tip=standing.tip,
            landed=done.commit or done.tip,
            moves=moves,
            pushes=pushes,
        ),
        e.NoteMade(session=s.id, turn=s.main.turn, text=text),
    ]
    if seen_pr is not None and seen_pr != s.landing.pr:
        events.append(le.PrChanged(session=s.id, pr=seen_pr))
    await hub.record(*events)
    if moves:
        await _carry_over(hub, require_session(hub.state, s.id))
    return True


async def _standing(hub: Hub, s: Session, parent: Session, done: Landed) -> StackStanding:
    """As the remote has it now, where that landed there. From a fork it is not there before a
    person brings the fork up to date, which is waited for."""
    at, base, is_fork = worktree_of(hub, s), done.into, False
    if done.number:
        async with open_forge(hub, s.repo, s.workspace.worktree) as forge:
            remote = forge.remote.name
            branch = done.into.removeprefix(f"{remote}/")
            base, is_fork = f"{remote}/{branch}", forge.repo.slug.lower() != done.repo.lower()
            if not is_fork:
                seconds = hub.last_settings.landing.push_seconds
                to = destination(forge)
                await fetch_landed(at, to, branch, token=forge.push_token, seconds=seconds)
    below = Below(branch=parent.workspace.branch, tip=done.tip, commit=done.commit)
    standing = await load_stack(at, base, below)
    waits = is_fork and not standing.has_landed
    return msgspec.structs.replace(standing, waits=waits)


async def _retarget(hub: Hub, s: Session, parent: Session, done: Landed) -> le.Pr | None:
    """The pull request as it is then, if it is open; harmless to repeat."""
    known = s.landing.pr
    if known is None or known.state not in ("draft", "open"):
        return None
    async with open_forge(hub, s.repo) as forge:
        repo = forge.repo.of(known.repo)
        pull = await repo.pull(known.number)
        into = done.into.removeprefix(f"{forge.remote.name}/")
        if pull.state == "open" and pull.base == parent.workspace.branch:
            with suppress(NotFound):  # it landed here, in a branch that the forge does not have
                await repo.require_branch(into)
                pull = await repo.update_pull(pull, base=into)
    after = seen(pull, known.repo, s)
    return after if after.state in ("draft", "open") else None


async def _carry_over(hub: Hub, s: Session) -> None:
    """Its own commits, on top of the new base; then what was pushed before is pushed again."""
    restack = s.merges.restack
    if restack is None or is_at_work(s) or is_moving(s) or s.merges.update is not None:
        return
    if restack.moved:
        pushed, note = await _pushed(hub, s) if restack.pushes else (False, "")
        await hub.record(
            m.RestackEnded(session=s.id, moved=True, pushed=pushed, note=note),
            *([e.NoteMade(session=s.id, turn=s.main.turn, text=note)] if note else []),
        )
        return
    base = await hub.part(Bases).now(s.repo, s.workspace.base)
    onto, _ = require_onto(s, base)
    tried = await try_restack(worktree_of(hub, s), onto, restack.landed)
    if tried.waits:
        return
    if tried.conflicts:
        await _leave(hub, s, tried.conflicts)
        return
    await update(hub, s.id, method="rebase")


def _moot(s: Session) -> Iterator[e.AnyEvent]:
    """Items about a stack that has got to its base since."""
    for item in s.inbox.items:
        about = item.detail.get("reason") == "stack" and item.detail.get("stood_on")
        if item.kind == "landing" and about and about != s.workspace.base_commit:
            seen = Resolution(options=("seen",), by="hub")
            yield e.AttentionResolved(session=s.id, item=item.id, resolution=seen)


async def _leave(hub: Hub, s: Session, paths: tuple[str, ...]) -> None:
    """A person decides whether its agent is to settle that."""
    base = s.workspace.base
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    summary = f"what it stood on landed in {base}, and conflicts with it in {paths[0]}{more}"
    way = f"`manyhands update {s.slug} --method rebase` brings {base} in and lets the agent settle"
    detail = {
        "reason": "stack",
        "base": base,
        "stood_on": s.workspace.base_commit,
        "paths": list(paths[:100]),
        "suggestion": way,
    }
    item = fresh_item(s, "landing", summary, detail, SEEN_OPTIONS)
    await hub.record(
        m.RestackEnded(session=s.id, moved=False, note=f"{summary}; {way}"),
        e.AttentionRaised(session=s.id, turn=s.main.turn, item=item),
    )


async def _pushed(hub: Hub, s: Session) -> tuple[bool, str]:
    """Whether it was, and what to tell where not."""
    try:
        async with open_forge(hub, s.repo, s.workspace.worktree) as forge:
            require_accepted(await findings(hub, s, forge), ())
            _, events = await push(hub, s, forge)
    except ManyhandsError as error:
        return False, f"not pushed anew: {error.message}; `manyhands pr {s.slug}` does it"
    await hub.record(*events)
    return True, ""
