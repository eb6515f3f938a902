"""The fleet of keepers, driven by the state: what is recorded is made true, again and again.

Nothing here remembers what it still has to do. Each session has at most one driver task,
which looks at the committed state, does what that state asks for and looks again. So a
hub that died in between continues exactly where the log says it was.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import nullcontext
from typing import TYPE_CHECKING

from manyhands.hub import creation, keepers
from manyhands.hub.archive import finish_archive
from manyhands.hub.budgets import Totals, exhausted
from manyhands.hub.crowding import Starts
from manyhands.hub.link import Link
from manyhands.hub.listening import Sweep
from manyhands.hub.restore import finish_restore
from manyhands.hub.rewind import finish_rewind
from manyhands.hub.setup import run_beside
from manyhands.hub.update import finish_update
from manyhands.keeper.nursery import Nursery
from manyhands.model import wire
from manyhands.model.clock import now
from manyhands.model.ids import SessionId, fresh_id
from manyhands.model.session import Conversation, Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)

MOVES = {
    "archive": finish_archive,
    "restore": finish_restore,
    "rewind": finish_rewind,
    "update": finish_update,
}
"""What carries on where a hub died in the middle of it."""


class Fleet:
    def __init__(self, hub: Hub, nursery: Nursery, tasks: asyncio.TaskGroup) -> None:
        self.nursery = nursery
        self.links: dict[SessionId, Link] = {}
        self._hub = hub
        self._tasks = tasks
        self._running: set[asyncio.Task[None]] = set()
        self._driven: dict[SessionId, bool] = {}
        self._looks: dict[object, frozenset[SessionId]] = {}
        self._setups: set[SessionId] = set()
        self._starts = Starts()
        self._closing = False
        self._resting = False

    async def start(self) -> None:
        """Adopt living keepers, finish what was begun, and get the nursery ready meanwhile."""
        self.spawn(self.nursery.start())
        self.spawn(Sweep().run(self._hub))
        for session in list(self._hub.state.all_sessions().values()):
            finish = MOVES.get(session.step)
            if finish is not None and session.has_worktree and not session.error:
                self.spawn(finish(self._hub, session.id))
            self.consider(session.id)

    def rest(self) -> None:
        """Start nothing new; what keepers still report is taken."""
        self._resting = True

    async def close(self) -> None:
        """Let go of everything; keepers go on by themselves."""
        self._closing = True
        for task in list(self._running):
            task.cancel()
        for link in self.links.values():
            link.close()

    def spawn(self, work: Coroutine[object, object, None]) -> None:
        task = self._tasks.create_task(_guarded(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def set_looks(self, viewer: object, sessions: frozenset[SessionId]) -> None:
        """`viewer` has exactly these sessions on screen."""
        before = self._looks.pop(viewer, frozenset())
        if sessions:
            self._looks[viewer] = sessions
        for session in before ^ sessions:
            self.consider(session)

    def consider(self, session: SessionId) -> None:
        """Something about the session changed; see that its driver looks at it."""
        if self._closing:
            return
        self._see_to_setup(session)
        if session in self._driven:
            self._driven[session] = True
        elif (s := self._hub.state.session(session)) is not None and self._asks(s):
            self._driven[session] = False
            self.spawn(self._drive(session))

    def _see_to_setup(self, session: SessionId) -> None:
        """A setup that runs beside the agent has a task of its own."""
        s = self._hub.state.session(session)
        if s is None or session in self._setups or s.archived:
            return
        if s.ready and s.setup == "running" and not s.is_held_up:
            self._setups.add(session)
            self.spawn(self._set_up(session))

    async def _set_up(self, session: SessionId) -> None:
        try:
            await run_beside(self._hub, session)
        finally:
            self._setups.discard(session)

    def hold(self, link: Link) -> None:
        """Keep a fresh connection and read from it until its keeper is gone."""
        self.links[link.session] = link
        self._hub.waiters.look()
        self.spawn(self._follow(link))
        self._hub.waiters.look()

    def _asks(self, s: Session) -> bool:
        """Whether the state asks for anything that is not so already."""
        if s.archived:
            return False
        if not s.ready:
            return not s.error and not s.attention
        link = self.links.get(s.id)
        if link is None:
            return s.keeper != "none" or self._needs_keeper(s)
        return bool(self._unsent(link, s))

    def _needs_keeper(self, s: Session) -> bool:
        return not self._resting and (_wants_agent(s) or self.is_looked_at(s.id))

    def is_looked_at(self, session: SessionId) -> bool:
        return any(session in sessions for sessions in self._looks.values())

    def _unsent(self, link: Link, s: Session) -> dict[str, wire.AnyCommand]:
        repo = self._hub.state.repo(s.repo)
        wanted: dict[str, wire.AnyCommand] = {
            "look": wire.Look(on=self.is_looked_at(s.id)),
            "mode": wire.SetMode(mode=s.mode),
            "model": wire.SetModel(model=s.model),
            "effort": wire.SetEffort(effort=s.effort),
            "rules": wire.SetRules(rules=repo.rules if repo else (), session=s.rules),
            "hold": wire.Hold(on=is_to_hold(self._hub, s)),
            **{f"settle-{a.item.id}": a for a in settlements(s)},
            **{f"say-{m.message}": m for m in deliverable(s)},
            **{f"say-{m.message}": m for m in deliverable_beside(s)},
        }
        if s.in_turn and s.halted:
            wanted[f"interrupt-{s.turn}"] = wire.Interrupt()
        return {name: c for name, c in wanted.items() if link.sent.get(name) != c}

    async def _drive(self, session: SessionId) -> None:
        try:
            s = self._hub.state.session(session)
            while s is not None and self._asks(s):
                self._driven[session] = False
                await self._attend(s)
                if not self._driven[session]:
                    return  # nothing was recorded meanwhile: asking again would change nothing
                s = self._hub.state.session(session)
        finally:
            del self._driven[session]

    async def _attend(self, s: Session) -> None:
        if not s.ready:
            await creation.make_ready(self._hub, s)
            return
        link = self.links.get(s.id)
        if link is None and s.keeper == "none":
            # Whoever only looks does not wait for others' agents.
            async with self._starts.turn() if _wants_agent(s) else nullcontext():
                await self._start(s.id)
            return
        if link is None:
            link = await keepers.adopt(self._hub, s)
        await self._tell_first(link, s)

    async def _start(self, session: SessionId) -> None:
        # While it waited for its turn, it may have been archived or stopped.
        s = self._hub.state.session(session)
        if s is not None and s.keeper == "none" and self._asks(s):
            await self._tell_first(await keepers.start(self._hub, s), s)

    async def _tell_first(self, link: Link | None, s: Session) -> None:
        if link is not None:
            await self._tell(link, self._hub.state.session(s.id) or s)

    async def _tell(self, link: Link, s: Session) -> None:
        try:
            for name, command in self._unsent(link, s).items():
                link.sent[name] = command
                error = await link.do(fresh_id(12), keepers.with_beside(self._hub, s, command))
                if error and isinstance(command, wire.Say):
                    # Not now: what comes next may make it possible.
                    log.info("session %s did not take a message: %s", s.id, error)
                    del link.sent[name]
        except ConnectionError:
            log.info("the keeper of %s went away while it was told something", s.id)
        except keepers.NoAgentBeside as missing:
            await self._hub.record(missing.failed)

    async def _follow(self, link: Link) -> None:
        try:
            await link.run()
        finally:
            if self.links.get(link.session) is link:
                del self.links[link.session]
                self._hub.feed.forget(link.session)
                self.consider(link.session)


def _wants_agent(s: Session) -> bool:
    return bool(deliverable(s) or deliverable_beside(s) or s.answers)


def deliverable(s: Session) -> tuple[wire.Say, ...]:
    """Messages that may go to the agent now: it works already, or holds a place, and no other
    conversation is writing in the worktree."""
    if s.error or not (s.place or s.in_turn) or _is_written_beside(s):
        return ()
    notice = f"[{s.notice}]\n\n" if s.notice else ""
    return tuple(
        wire.Say(
            message=m.id,
            text=m.text if number else notice + m.text,
            model=m.model,
            effort=m.effort,
            attachments=m.attachments,
        )
        for number, m in enumerate(s.undelivered)
    )


def deliverable_beside(s: Session) -> tuple[wire.Say, ...]:
    """As above, for the other conversations: one that writes waits for everybody else."""
    if not (s.place or s.in_turn):
        return ()
    found: list[wire.Say] = []
    for c in s.conversations:
        others = s.in_turn or s.undelivered or _is_written_beside(s, but=c)
        if not (c.writes and others):
            found += [
                wire.Say(message=m.id, text=m.text, model=m.model, conversation=c.id)
                for m in c.undelivered
            ]
    return tuple(found)


def _is_written_beside(s: Session, but: Conversation | None = None) -> bool:
    return any(c.writes and c.in_turn for c in s.conversations if c is not but)


def is_to_hold(hub: Hub, s: Session) -> bool:
    """A budget is used up, and nobody has said that this turn may be finished."""
    works = s.in_turn or any(c.in_turn for c in s.conversations)
    if not works or (s.overrun == s.turn and s.in_turn):
        return False
    return exhausted(s, hub.last_settings, Totals(hub.state, now())) is not None


def settlements(s: Session) -> tuple[wire.Settle, ...]:
    return tuple(wire.Settle(item=a.item, resolution=a.resolution) for a in s.answers)


async def _guarded(work: Coroutine[object, object, None]) -> None:
    """A task's root: a mistake in one session's work must not take the hub down."""
    try:
        await work
    except Exception:
        log.exception("a background task failed")
