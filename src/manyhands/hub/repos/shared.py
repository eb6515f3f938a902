"""What all worktrees of a repository share is kept before agents work, and its loss is told.

It is looked at before an agent starts, after each of its tool calls and at each turn's end; what is
new is kept by private refs. What is lost while nobody works is a person's own doing. While agents
work nobody can know who it was: the item says while whom, and a person may say "it was me".
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial

import msgspec

from manyhands.errors import ManyhandsError, NotPossible, StoreFailed
from manyhands.hub.core import Hub, Reactor, Rounds
from manyhands.hub.repos.shared_words import left_item, lost_item, publishable, unreadable_item
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.clock import now
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station import shared as station
from manyhands.station.shared import Known, Looked, LostShare, Settled

log = logging.getLogger(__name__)
REST_SECONDS = 0.5
"""Calls that finish meanwhile share one look."""
AGAIN_SECONDS = 10.0
"""After so long it is tried once more what could not be kept, as long as an item tells of it."""
HARMLESS = frozenset({"Read", "Grep", "Glob", "LS", "Write", "Edit", "MultiEdit"})
"""Tools that run nothing."""


class SharedKeeping(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._known: dict[str, Known] = {}
        self._worked: defaultdict[str, dict[SessionId, None]] = defaultdict(dict)
        """Who has worked since the last look, whoever did something last at the end."""
        self._ended: defaultdict[str, set[SessionId]] = defaultdict(set)
        self._due: set[str] = set()
        self._hurry: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._coming: dict[str, asyncio.Future[bool]] = {}
        """The next look, while it has not begun."""
        self.problems: dict[str, str] = {}
        """Why what a repository's worktrees share could not be kept last time."""
        self._said: dict[str, str] = {}
        """Which of them were told of."""
        self._rounds = Rounds(hub, lambda repo: repo in self._due, self._attend)
        hub.on(e.PlaceGranted, self._granted)
        hub.on(e.TurnStarted, self._began)
        hub.on(e.ToolFinished, self._called)
        hub.on(e.TurnFinished, self._finished)

    async def run(self) -> None:
        """What agents did while there was no hub is found out."""
        for s in self._hub.state.all_sessions().values():
            if s.main.in_turn and not s.life.archived:
                self._began(e.TurnStarted(session=s.id))

    async def keep_now(self, repo: str) -> None:
        """Returns when everything is kept as it is; whatever hinders it is on record."""
        await self._look(repo)

    async def bring_back(self, repo: str, lost: LostShare) -> list[str]:
        async with self._locks[repo]:
            try:
                said = await station.bring_back(self._hub.home, repo, lost, now()[:10])
            finally:
                await self._take(repo)  # while the item is open that tells of it
        return said

    def _sharing(self, session: SessionId) -> Session | None:
        """The session, if it can reach what others have: not where its git is its own."""
        s = self._hub.state.session(session)
        return None if s is None or s.boxing.is_apart else s

    def _began(self, event: e.TurnStarted) -> None:
        if s := self._sharing(event.session):
            self._worked[s.repo].setdefault(s.id)
            self._consider(s.repo, at_once=True)

    def _granted(self, event: e.PlaceGranted) -> None:
        if s := self._sharing(event.session):
            self._consider(s.repo, at_once=True)

    def _called(self, event: e.ToolFinished) -> None:
        s = self._sharing(event.session)
        if s and event.tool not in HARMLESS:
            self._did(s)

    def _finished(self, event: e.TurnFinished) -> None:
        if s := self._sharing(event.session):
            self._ended[s.repo].add(s.id)
            self._did(s, at_once=True)

    def _did(self, s: Session, *, at_once: bool = False) -> None:
        self._worked[s.repo].pop(s.id, None)
        self._worked[s.repo][s.id] = None
        self._consider(s.repo, at_once=at_once)

    def _consider(self, repo: str, *, at_once: bool) -> None:
        """Where a turn begins or ends, what a person does next is not the agent's."""
        self._due.add(repo)
        if at_once:
            self._hurry[repo].set()
        self._rounds.consider(repo)

    async def _attend(self, repo: str) -> None:
        self._due.discard(repo)
        self._hurry[repo].clear()
        await self._look(repo)
        rest = REST_SECONDS
        if any(unkept_items(self._hub.state, repo)):
            self._consider(repo, at_once=False)
            rest = AGAIN_SECONDS
        with suppress(TimeoutError):
            async with asyncio.timeout(rest):
                await self._hurry[repo].wait()

    async def _look(self, repo: str) -> None:
        """One that begins only now; whoever asks before it has begun shares it."""
        while (coming := self._coming.get(repo)) is not None:
            if await asyncio.shield(coming):
                return
        coming = self._coming[repo] = asyncio.get_running_loop().create_future()
        looked = False
        try:
            async with self._locks[repo]:
                del self._coming[repo]
                await self._take(repo)
            looked = True
        finally:
            if self._coming.get(repo) is coming:
                del self._coming[repo]
            coming.set_result(looked)

    async def _take(self, repo: str) -> None:
        workers = [s for id in self._worked.pop(repo, {}) if (s := self._hub.state.session(id))]
        ended = self._ended.pop(repo, set())
        self._worked[repo] |= {s.id: None for s in workers if s.main.in_turn}
        try:
            looked = await self._compared(repo, workers, ended)
            if workers:
                await self._hub.decide(partial(_told, workers, looked))
            await self._keep(repo, looked)
        except (ManyhandsError, OSError) as error:
            log.warning("what the worktrees of %s share could not be kept: %s", repo, error)
            await self._say_problem(repo, workers, str(error))
        else:
            self.problems.pop(repo, None)
            self._said.pop(repo, None)
            if any(unkept_items(self._hub.state, repo)):
                with suppress(StoreFailed):
                    await self._hub.decide(partial(_told_mended, repo))

    async def _keep(self, repo: str, looked: Looked) -> None:
        if looked.is_new:
            known = await station.keep(self._hub.home, repo, looked, now()[:10])
            self._known[repo] = known
        elif looked.before:
            self._known[repo] = looked.before

    async def _compared(self, repo: str, workers: list[Session], ended: set[SessionId]) -> Looked:
        branches = frozenset(s.workspace.branch for s in workers)
        return await station.look(
            self._hub.home,
            repo,
            self._known.get(repo),
            settled(self._hub.state, repo, workers),
            now()[:10],
            told=told_losses(self._hub.state, repo),
            working=branches,
            ended=frozenset(s.workspace.branch for s in workers if s.id in ended),
        )

    async def _say_problem(self, repo: str, workers: list[Session], problem: str) -> None:
        """Once to those who work, however often it is met."""
        self.problems[repo] = problem
        if workers and self._said.get(repo) != problem:
            with suppress(StoreFailed):  # which is told by itself
                await self._hub.decide(partial(_told_problem, repo, workers, problem))
                self._said[repo] = problem


def settled(state: State, repo: str, workers: Iterable[Session]) -> Settled:
    """A session's branch goes where its agent takes it; it may go for good with its session, and
    while its own agent works."""
    here = [s for s in state.all_sessions().values() if s.repo == repo]
    at_work = {s.id for s in workers}
    free = [s for s in here if s.id in at_work or s.life.archived or s.life.gone]
    return Settled(
        frozenset(s.workspace.branch for s in here), frozenset(s.workspace.branch for s in free)
    )


def told_losses(state: State, repo: str) -> list[LostShare]:
    """Those whose items are open."""
    here = (s for s in state.all_sessions().values() if s.repo == repo)
    found = (item.detail.get("lost") for s in here for item in s.inbox.items)
    return [msgspec.convert(lost, LostShare) for lost in found if lost]


def _told(workers: list[Session], looked: Looked, state: State) -> Iterator[e.AnyEvent]:
    """The item is the one's who worked last; what an open one tells already is not told again."""
    living = [s for w in workers if (s := state.session(w.id)) and not s.life.archived]
    lost = publishable(looked.lost) if looked.lost else None
    if lost and living and not _is_told(living, lost):
        yield _raised(lost_item(living, lost, looked.way_back), living[-1])
    for s in living:
        if left := looked.left.get(s.workspace.branch):
            item = left_item(s, left)
            if not any(known.detail == item.detail for known in s.inbox.items):
                yield _raised(item, s)


def _is_told(sessions: list[Session], lost: LostShare) -> bool:
    told = msgspec.to_builtins(lost)["changes"]
    items = (item for s in sessions for item in s.inbox.items)
    return any(item.detail.get("lost", {}).get("changes") == told for item in items)


def _told_problem(
    repo: str, workers: list[Session], problem: str, state: State
) -> Iterator[e.AnyEvent]:
    for w in workers:
        s = state.session(w.id)
        if s is not None and not s.life.archived:
            yield _raised(unreadable_item(s, problem), s)


def unkept_items(state: State, repo: str) -> Iterator[Attention]:
    """Those that tell of a repository whose shared things could not be kept."""
    here = (s for s in state.all_sessions().values() if s.repo == repo)
    return (item for s in here for item in s.inbox.items if "unkept" in item.detail)


def _told_mended(repo: str, state: State) -> Iterator[e.AnyEvent]:
    kept = Resolution(("seen",), text="it is kept again", by="hub")
    for item in unkept_items(state, repo):
        yield e.AttentionResolved(session=item.session, item=item.id, resolution=kept)


def _raised(item: Attention, s: Session) -> e.AttentionRaised:
    return e.AttentionRaised(session=s.id, turn=s.main.turn, item=item)


async def answered(hub: Hub, s: Session, item: Attention, option: str) -> Iterable[e.AnyEvent]:
    """Before an item about what worktrees share is settled: bring back what it tells of, or take
    it as it is."""
    if "lost" not in item.detail:
        return ()
    if option != "restore":
        # The person may have gone the way back by hand.
        await hub.part(SharedKeeping).keep_now(s.repo)
        return ()
    lost = msgspec.convert(item.detail["lost"], LostShare)
    said = await hub.part(SharedKeeping).bring_back(s.repo, lost)
    if not said:
        raise NotPossible("there is nothing left to bring back")
    return (e.NoteMade(session=s.id, turn=s.main.turn, text="Brought back: " + "; ".join(said)),)
