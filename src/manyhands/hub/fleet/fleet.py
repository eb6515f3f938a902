"""The fleet of keepers, driven by the state: what is recorded is made true, again and again.

Nothing here remembers what it still has to do. Each session has at most one driver task,
which looks at the committed state, does what that state asks for and looks again. So a
hub that died in between continues exactly where the log says it was.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Container, Iterator
from contextlib import nullcontext
from functools import partial

from manyhands.errors import NotPossible
from manyhands.hub.core import Feed, Hub, Reactor, Rounds
from manyhands.hub.core.faults import said
from manyhands.hub.core.feed import Subscription
from manyhands.hub.fleet import keepers
from manyhands.hub.fleet.budgets import SharedTotals, exhausted
from manyhands.hub.fleet.crowding import Starts
from manyhands.hub.fleet.link import KeeperLink, Links
from manyhands.hub.fleet.words import UnsaidWords
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.agent.conversation import Conversation
from manyhands.model.clock import now
from manyhands.model.ids import MAIN, SessionId, fresh_id
from manyhands.model.live import Patched
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.store import Batch

log = logging.getLogger(__name__)
TALK: frozenset[type] = frozenset(
    (e.AgentMessage, e.AgentThought, e.ToolCalled, e.ToolFinished, e.DiffChanged)
)
"""What an agent does by the thousand, and after which no keeper is to be told anything."""

KEEPER_SECONDS = 60.0
"""How long whoever needs a keeper waits for it."""

AT_REST = ("idle", "waiting", "failed", "archived")


class Fleet(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._links = hub.part(Links)
        self._rounds = Rounds(hub, self._asks, self._attend, self._failed)
        self.consider = self._rounds.consider
        """Something about the session changed; see that its driver looks at it."""
        self._looks: dict[object, frozenset[SessionId]] = {}
        self._starts = Starts()
        self._wishes: dict[SessionId, list[asyncio.Future[KeeperLink]]] = {}
        self._resting = False
        self._links.on_gone = self.consider
        self._links.on_patched = self._show

    def committed(self, batch: Batch) -> None:
        touched = {event.session for event in batch.events if type(event) not in TALK}
        for session in batch.sessions & touched:
            self.consider(session)

    def troubled(self) -> None:
        """Agents are held while what they do cannot be kept, and go on afterwards."""
        self.consider_all()

    async def run(self) -> None:
        """Adopt living keepers, finish what was begun, and get the nursery ready meanwhile."""
        self._hub.spawn(self._links.nursery.start())
        self.consider_all()

    async def close(self) -> None:
        await self._links.close()

    def consider_all(self) -> None:
        for session in list(self._hub.state.all_sessions()):
            self.consider(session)

    def rest(self) -> None:
        """Start nothing new; what keepers still report is taken."""
        self._resting = True

    def set_looks(self, viewer: object, sessions: frozenset[SessionId]) -> None:
        """`viewer` has exactly these sessions on screen."""
        before = self._looks.pop(viewer, frozenset())
        if sessions:
            self._looks[viewer] = sessions
        for session in before ^ sessions:
            self.consider(session)

    def _show(self, frame: Patched) -> None:
        """An update may have given the session another base than its keeper was born with."""
        s = self._hub.state.session(frame.session)
        if s is None or s.workspace.base_commit != frame.base:
            return
        for viewer, sessions in self._looks.items():
            if frame.session in sessions and isinstance(viewer, Subscription):
                self._hub.part(Feed).show(viewer, frame)

    def _asks(self, session: SessionId) -> bool:
        """Whether the state asks for anything that is not so already."""
        s = self._hub.state.session(session)
        if s is None or s.life.archived or not s.life.ready:
            return False
        link = self._links.live.get(s.id)
        if link is None:
            return s.keeper.state != "none" or self._needs_keeper(s)
        return bool(self.unsent(link, s))

    def _needs_keeper(self, s: Session) -> bool:
        wanted = _wants_agent(s) or self.is_looked_at(s.id) or s.id in self._wishes
        wanted = wanted or any(service.wanted for service in s.services.values())
        return wanted and not self._resting

    async def require_keeper(self, session: SessionId) -> KeeperLink:
        """The session's keeper, for something beside its agents; started if there is none. Raises
        with the reason if it cannot be. It lives on for a moment, in which it must be told what it
        is for."""
        link = await self._keeper(session)
        if not link.has_parts:
            hint = "once its agent rests, `manyhands down --all` and `manyhands up` replace it"
            raise NotPossible(
                "its keeper is of an earlier version, which runs nothing but agents", hint=hint
            )
        return link

    async def _keeper(self, session: SessionId) -> KeeperLink:
        _require_open(self._hub.state.session(session), resting=self._resting)
        if link := self._links.live.get(session):
            return link
        wish: asyncio.Future[KeeperLink] = asyncio.get_running_loop().create_future()
        self._wishes.setdefault(session, []).append(wish)
        try:
            self.consider(session)
            async with asyncio.timeout(KEEPER_SECONDS):
                return await wish
        except TimeoutError:
            raise NotPossible("its keeper does not answer", hint="try again in a while") from None
        finally:
            self._wishes[session].remove(wish)
            if not self._wishes[session]:
                del self._wishes[session]

    def _grant(self, link: KeeperLink) -> None:
        for wish in self._wishes.get(link.session, ()):
            if not wish.done():
                wish.set_result(link)

    def _refuse(self, session: SessionId, error: Exception) -> None:
        for wish in self._wishes.get(session, ()):
            if not wish.done():
                wish.set_exception(error)
        s = self._hub.state.session(session)
        if s is not None and any(service.wanted for service in s.services.values()):
            self._hub.spawn(self._hub.decide(partial(_unserved, session, said(error))))

    def is_looked_at(self, session: SessionId) -> bool:
        return any(session in sessions for sessions in self._looks.values())

    def unsent(self, link: KeeperLink, s: Session) -> dict[str, wire.AnyCommand]:
        """What the keeper ought to know and was not told yet."""
        if is_to_be_born_anew(s, link.sent):
            return {} if "stop" in link.sent else {"stop": wire.Stop()}
        wanted: dict[str, wire.AnyCommand] = {
            **keepers.born_with(self._hub, s),
            "look": wire.Look(on=self.is_looked_at(s.id)),
            "hold": wire.Hold(on=is_to_hold(self._hub, s)),
            "services": served(s),
            **{f"settle-{a.item.id}": a for a in settlements(s)},
            **{f"say-{m.message}": m for m in deliverable(s)},
        }
        if not link.has_parts:
            del wanted["services"]
        if s.main.in_turn and s.main.halted:
            wanted[f"interrupt-{s.main.turn}"] = wire.Interrupt()
        return {name: c for name, c in wanted.items() if link.sent.get(name) != c}

    async def _attend(self, session: SessionId) -> None:
        s, link = self._hub.state.sessions[session], self._links.live.get(session)
        if link is None and s.keeper.state == "none":
            # Whoever only looks does not wait for others' agents.
            async with self._starts.turn() if _wants_agent(s) else nullcontext():
                await self._start(s.id)
            return
        if link is None:
            link = await keepers.adopt(self._hub, s)
        await self._tell(link)
        if link is not None:
            self._grant(link)

    async def _failed(self, session: SessionId, error: Exception) -> None:
        """Nobody drives it for now: it is not said to be at work, or about to be."""
        self._refuse(session, NotPossible(f"it got no keeper: {said(error)}"))
        s = self._hub.state.session(session)
        if s is None or s.status in AT_REST or self._hub.store.trouble:
            return
        if s.keeper.state == "none" or keepers.is_free(self._hub, session):
            hint = f"`manyhands resume {s.slug}` tries again; the home's logs/hub.log tells more"
            await self._hub.record(
                e.SessionFailed(session=session, step="keeper", error=said(error), hint=hint)
            )
        elif s.keeper.state == "live":
            await self._hub.record(
                e.KeeperUnreachable(session=session, epoch=s.keeper.epoch, reason=said(error))
            )

    async def _start(self, session: SessionId) -> None:
        # While it waited for its turn, it may have been archived or stopped.
        s = self._hub.state.sessions[session]
        if s.keeper.state == "none" and self._asks(session):
            refused = partial(self._refuse, session)
            link = await keepers.start(self._hub, s, lambda: self._resting, refused)
            await self._tell(link)
            if link is not None:
                self._grant(link)

    async def _tell(self, link: KeeperLink | None) -> None:
        if link is None:
            return
        s = self._hub.state.sessions[link.session]
        try:
            for name, command in self.unsent(link, s).items():
                link.sent[name] = command
                whole = await keepers.with_conversation(self._hub, s, command)
                if whole is None:
                    return
                said = self._hub.part(UnsaidWords).whole(s.id, whole)
                error = await link.do(fresh_id(12), said)
                if error and isinstance(command, wire.Say):
                    # Not now: what comes next may make it possible.
                    log.info("session %s did not take a message: %s", s.id, error)
                    del link.sent[name]
        except ConnectionError:
            log.info("the keeper of %s went away while it was told something", s.id)


def is_to_be_born_anew(s: Session, sent: Container[str]) -> bool:
    """Another box was chosen than its keeper was born with: it gives way to one that knows, as soon
    as nothing is under way."""
    if not s.boxing.is_stale or s.works or s.inbox.answers:
        return False
    if any(one.runs for one in s.terminals) and not _wants_agent(s):
        return False  # they would end with it, and nothing needs the new box yet
    undelivered = (m for c in s.conversations.values() for m in c.undelivered)
    return not any(f"say-{m.id}" in sent for m in undelivered)


def _unserved(session: SessionId, why: str, state: State) -> Iterator[e.AnyEvent]:
    """There is no keeper to run the services that were to run."""
    s = state.session(session)
    for name, service in s.services.items() if s is not None else ():
        if service.wanted and s is not None and s.keeper.state == "none":
            reason = f"it got no keeper: {why}"
            yield e.ServiceExited(
                session=session, name=name, ask=service.ask, end="crashed", reason=reason
            )


def _require_open(s: Session | None, *, resting: bool) -> None:
    if s is None or s.life.archived:
        slug = s.slug if s else "the session"
        raise NotPossible(f"{slug} is archived", hint=f"`manyhands restore {slug}` brings it back")
    if s.life.step == "archive" and not s.life.error:
        raise NotPossible(f"{s.slug} is being archived")
    if not s.life.ready:
        why = s.life.error or "it is still being prepared"
        raise NotPossible(f"nothing can be started in {s.slug} yet: {why}")
    if resting:
        raise NotPossible("the hub is about to end, and starts nothing new")


def _wants_agent(s: Session) -> bool:
    return bool(deliverable(s) or s.inbox.answers)


def deliverable(s: Session) -> tuple[wire.Say, ...]:
    """Messages that may go to their agents now: the session works already, or holds a place, and
    no other conversation is in the way."""
    if not (s.place.granted or s.main.in_turn):
        return ()
    heard = (c for c in s.conversations.values() if c.undelivered and not _is_kept_waiting(s, c))
    return tuple(say for c in heard for say in _sayings(c))


def _is_kept_waiting(s: Session, c: Conversation) -> bool:
    """One that writes has the worktree alone, and the main one goes first."""
    if c.id == MAIN and s.life.error:
        return True
    if s.main.taken and c.writes:
        return True
    writing = any(o.writes and o.in_turn for o in s.conversations.values() if o is not c)
    return c.writes and (writing or bool(c.id != MAIN and s.main.undelivered))


def _sayings(c: Conversation) -> Iterator[wire.Say]:
    notice = f"[{c.notice}]\n\n" if c.notice else ""
    for number, m in enumerate(c.undelivered):
        yield wire.Say(
            message=m.id,
            text=m.text if number else notice + m.text,
            model=m.model,
            effort=m.effort,
            attachments=m.attachments,
            conversation=c.id,
            told=None if number else c.told,
        )


def served(s: Session) -> wire.Serve:
    """The services that its keeper is to run."""
    wanted = (one for one in s.services.values() if one.wanted)
    return wire.Serve(services=tuple(wire.WantedService(ask=o.ask, spec=o.spec) for o in wanted))


def is_to_hold(hub: Hub, s: Session) -> bool:
    """A budget is used up, and nobody has said that this turn may be finished; or what it does
    cannot be kept."""
    if hub.store.trouble is not None:
        return True
    if not s.works or (s.budget.overrun == s.main.turn and s.main.in_turn):
        return False
    return exhausted(s, hub.last_settings, SharedTotals(hub.state, now())) is not None


def settlements(s: Session) -> tuple[wire.Settle, ...]:
    return tuple(
        wire.Settle(item=a.item, resolution=a.resolution, told=c.told if c else None)
        for a in s.inbox.answers
        for c in [s.conversations.get(a.item.conversation)]
    )
