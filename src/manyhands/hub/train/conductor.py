"""Drives the trains: looks, plans, does, and looks again; it remembers nothing but what runs.

What it finds out goes on record before anything is built upon it, so that a hub that died goes on
where the log says. Only the checks run beside each other; all else of a train is done in turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import assert_never, get_args

from msgspec.structs import replace

from manyhands.errors import ForgeFailed, ManyhandsError, NotPossible, NotTrusted
from manyhands.hub.core import Hub, Jobs, Reactor, Rounds, require_session, worktree_of
from manyhands.hub.core.faults import LONGEST_PAUSE, said
from manyhands.hub.landing.checks import run_checks
from manyhands.hub.landing.desk import is_at_work
from manyhands.hub.landing.merge import merge_words
from manyhands.hub.train import by_pr, departure, mending, track
from manyhands.hub.train.lanes import Key, all_trains, find_train, of_car, window_of
from manyhands.hub.train.plan import (
    AlreadyIn,
    Build,
    Deed,
    Halt,
    Land,
    Leave,
    Outlook,
    Requeue,
    Try,
    plan,
)
from manyhands.model import events as e
from manyhands.model.clock import monotonic
from manyhands.model.ids import Oid, SessionId
from manyhands.model.landing import events as le
from manyhands.model.landing import merge_events as r
from manyhands.model.landing.merges import Prepared
from manyhands.model.radar.events import BaseMoved
from manyhands.model.state import State
from manyhands.model.train import events as t
from manyhands.model.train.train import Car, Train
from manyhands.station.landing import checks
from manyhands.station.landing import train as station

LOOK_SECONDS = 2.0
"""How often a train with cars looks at its branches by itself: people move them too."""
ASK_SECONDS = 30.0
"""How often a forge is asked about a car where nothing else is said."""
OTHER_TREE = "the forge landed it as another tree than was tested here"
UNTESTED = "landed untested: no checks are configured"


@dataclass
class _Run:
    """Checks on their way."""

    key: Key
    tree: Oid
    bench: int
    task: asyncio.Task[None] | None = None
    over: bool = False
    """Its end is being recorded."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Conductor(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self.observe: Callable[[str], None] = lambda point: None
        """Told of each deed: ``before:`` it, ``done:`` and not recorded, ``after:`` it."""
        self.progress: dict[str, str] = {}
        """Which check of which car runs."""
        self._runs: dict[str, _Run] = {}
        self._asked: dict[str, float] = {}
        """When the forge was last asked about a car."""
        self._cooling: dict[str, asyncio.TimerHandle] = {}
        self._rounds: Rounds[Key] = Rounds(hub, self._is_wanted, self._attend, self._held)
        for kind in get_args(t.TrainEvent):
            hub.on(kind, lambda event: self._rounds.consider((event.path, event.into)))
        for kind in (
            r.SessionMerged,
            r.UpdateFinished,
            BaseMoved,
            le.PrChanged,
            e.TurnFinished,
            e.SessionArchived,
        ):
            hub.on(kind, lambda event: self._consider_repo_of(event.session))

    def _consider_repo_of(self, session: SessionId) -> None:
        s = self._hub.state.session(session)
        for key, _ in all_trains(self._hub.state, s.repo) if s else ():
            self._rounds.consider(key)

    async def run(self) -> None:
        for key, _ in all_trains(self._hub.state):
            self._rounds.consider(key)
        while True:
            await self._hub.until(lambda state: _are_moving(state) or None)
            await asyncio.sleep(LOOK_SECONDS)
            for key, train in list(all_trains(self._hub.state)):
                if train.cars:
                    self._rounds.consider(key)

    async def close(self) -> None:
        for timer in self._cooling.values():
            timer.cancel()

    def _is_wanted(self, key: Key) -> bool:
        return find_train(self._hub.state, key) is not None

    async def _attend(self, key: Key) -> None:
        """Until there is nothing more to be done but to wait."""
        while (train := find_train(self._hub.state, key)) is not None:
            await mending.attend(self._hub, key, train)
            train = find_train(self._hub.state, key) or train
            if not train.cars:
                await self._clear(key)
                return
            deeds = await self._planned(key, train)
            if not deeds:
                return
            for deed in deeds:
                if not await self._do(key, train, deed):
                    return

    async def _planned(self, key: Key, train: Train) -> list[Deed]:
        sight = await self._look(key, train)
        own = {car: run.tree for car, run in self._runs.items() if run.key == key}
        return plan(
            train,
            sight,
            own,
            window=max(0, window_of(self._hub) - (len(self._runs) - len(own))),
            reruns=int(self._hub.last_settings.train.rerun),
        )

    async def _look(self, key: Key, train: Train) -> Outlook:
        tips = await track.load_tips(self._hub, key, train)
        target = tips.target or await track.require_target(self._hub, key, train)
        busy, gone = set(), {}
        for car in train.cars:
            s = self._hub.state.session(car.session)
            if s is None or s.life.gone or s.life.archived:
                gone[car.id] = "its session was put away"
            elif is_at_work(s):
                busy.add(car.id)
        return Outlook(target, tips.cars, busy, gone)

    async def _do(self, key: Key, train: Train, deed: Deed) -> bool:
        """Whether there may be more to do."""
        more = True
        point = type(deed).__name__.lower()
        self.observe(f"before:train.{point}")
        match deed:
            case Requeue(car, tip):
                await self._hub.record(of_car(t.CarRequeued, key, car, tip=tip))
            case Leave():
                await departure.leave(self._hub, key, deed)
            case AlreadyIn(car):
                await self._landed(key, car, "", already=True)
            case Build(car, onto):
                await self._build(key, train, car, onto)
            case Land(car):
                more = await self._land(key, train, car)
            case Try(car):
                self._start(key, car)
            case Halt(id):
                await self._stop(id)
            case _:
                assert_never(deed)
        self.observe(f"after:train.{point}")
        return more

    # Building

    async def _build(self, key: Key, train: Train, car: Car, onto: Oid) -> None:
        s = require_session(self._hub.state, car.session)
        at = worktree_of(self._hub, s)
        merge = await track.load_merge(self._hub, key, car, onto)
        built = await station.build(at, merge, await merge_words(self._hub, s))
        self.observe("done:train.build")
        if built.error:
            other = next((c for c in train.cars if c.commit == onto), None)
            error = departure.conflict_words(self._hub, key, built, other)
            found = of_car(t.CarConflicted, key, car, onto=onto, paths=built.paths, error=error)
            await self._hub.record(found)
        else:
            made = {"commit": built.commit or onto, "tree": built.tree, "empty": not built.commit}
            await self._hub.record(of_car(t.CarBuilt, key, car, onto=onto, **made))

    # Testing

    def _start(self, key: Key, car: Car) -> None:
        taken = {run.bench for run in self._runs.values() if run.key[0] == key[0]}
        bench = next(n for n in range(len(taken) + 1) if n not in taken)
        if cooling := self._cooling.pop(key[0], None):
            cooling.cancel()
        self._runs[car.id] = run = _Run(key, car.tree, bench)
        self._hub.spawn(self._test(key, car, run))

    async def _stop(self, id: str) -> None:
        run = self._runs[id]
        if run.task is not None and not run.over:
            run.task.cancel()
        await run.ended.wait()

    async def _test(self, key: Key, car: Car, run: _Run) -> None:
        run.task = asyncio.current_task()
        try:
            tested = await self._tested(key, car, run)
            run.over = True
            self.observe("done:train.test")
            if tested is not None:
                await self._hub.record(of_car(t.CarTested, key, car, tree=car.tree, **tested))
        finally:
            self._runs.pop(car.id, None)
            self.progress.pop(car.id, None)
            run.ended.set()
            self._rounds.consider(key)

    async def _tested(self, key: Key, car: Car, run: _Run) -> dict[str, object] | None:
        """How it went; None where it could not be begun, and is tried again."""
        try:
            return await self._checked(key, car, run)
        except NotTrusted as error:
            hint = f"{error.hint.removesuffix('; then again')}; then put it on again"
            return {"passed": False, "attempt": TRIED_ENOUGH, "error": error.message, "hint": hint}
        except (ManyhandsError, OSError) as error:
            where = f"train: checks of {car.session}"
            self._hub.faults.note(where, error)
            hint = getattr(error, "hint", "") or "it is tried again"
            await self._hub.record(of_car(t.CarHeld, key, car, error=said(error), hint=hint))
            await asyncio.sleep(LONGEST_PAUSE)
            self._hub.faults.over(where)
            return None

    async def _checked(self, key: Key, car: Car, run: _Run) -> dict[str, object]:
        hub, attempt = self._hub, car.attempts + 1
        s = require_session(hub.state, car.session)
        wanted = await checks.load_checks(worktree_of(hub, s), car.commit)
        if not wanted.run:
            return _unchecked(car)
        started = of_car(t.CarTestStarted, key, car, tree=car.tree, commands=wanted.run)
        await hub.record(started)

        async def report(command: str) -> None:
            self.progress[car.id] = command

        bench = checks.warm_bench(hub.home, key[0], run.bench)
        made = Prepared(car.commit, car.tree)
        found = await run_checks(hub, s, car.id, made, bench, report)
        told = {"attempt": attempt, "seconds": found.seconds}
        if not found.failed:
            return {"passed": True, **told}
        words = {"error": found.words, "hint": found.hint(s), "tail": found.tail}
        return {"passed": False, **words, **told}

    # Landing

    async def _land(self, key: Key, train: Train, car: Car) -> bool:
        """Whether anything came of it. Where a hub died between the swap and its record, looking
        tells."""
        async with self._hub.part(Jobs).lanes[f"merge into {key[0]}"]:
            target = await track.require_target(self._hub, key, train)
            if car.landing and await station.has_landed(key[0], car.commit, target):
                await self._landed(key, car, "")
            elif target != car.onto and not (train.via == "pr" and car.landing):
                await self._build(key, train, car, target)
            elif train.via == "pr":
                return await self._land_by_pr(key, train, car)
            else:
                await self._begin_landing(key, car)
                self.observe("before:train.swap")
                checkout = await self._swap(key, train, car)
                self.observe("done:train.swap")
                if checkout is not None:
                    await self._landed(key, car, checkout)
        return True

    async def _begin_landing(self, key: Key, car: Car) -> None:
        swap = {"onto": car.onto, "commit": car.commit}
        await self._hub.record(of_car(t.CarLandingStarted, key, car, **swap))

    async def _swap(self, key: Key, train: Train, car: Car) -> str | None:
        """The checkout that came along; None where the branch is elsewhere by now."""
        try:
            return await track.move_branch(self._hub, key, train, car)
        except (NotPossible, NotTrusted, ForgeFailed) as error:
            target = await track.require_target(self._hub, key, train)
            if await station.has_landed(key[0], car.commit, target):
                return ""
            held = {"error": error.message, "hint": error.hint, "unmoved": True}
            facts: list[e.AnyEvent] = [of_car(t.CarHeld, key, car, **held)]
            if track.is_final(train, error) and target == car.onto:
                hint = track.way_out(error)
                facts.append(
                    t.TrainPaused(path=key[0], into=key[1], reason=error.message, hint=hint)
                )
            await self._hub.record(*facts)
            if target != car.onto or len(facts) > 1:
                return None
            raise

    async def _land_by_pr(self, key: Key, train: Train, car: Car) -> bool:
        pause = self._hub.last_settings.github.poll_seconds or ASK_SECONDS
        if self._asked.get(car.id, 0.0) > monotonic() - pause:
            return False
        self._asked[car.id] = monotonic()
        begin = partial(self._begin_landing, key, car)
        found = await by_pr.land_by_pr(self._hub, key, train, car, begin)
        match found:
            case by_pr.LandedThere(commit):
                tree = await checks.load_tree_at(key[0], commit)
                self._asked.pop(car.id, None)
                note = "" if tree in (None, car.tree) else OTHER_TREE
                await self._landed(key, replace(car, commit=commit), "", note=note)
            case by_pr.Refused(why):
                await self._hub.record(of_car(t.CarHeld, key, car, error=why, unmoved=True))
                await departure.leave(self._hub, key, Leave(car, "failed", why))
            case by_pr.Waits(why):
                if car.error != why:
                    await self._hub.record(of_car(t.CarHeld, key, car, error=why))
                return False
            case _:
                assert_never(found)
        return True

    async def _landed(
        self, key: Key, car: Car, checkout: str, *, already: bool = False, note: str = ""
    ) -> None:
        note = f"{key[1]} had all of it already" if already else note
        facts = {"commit": car.commit, "before": car.onto, "already": already, "note": note}
        landed = of_car(t.CarLanded, key, car, **facts)
        merged = r.SessionMerged(
            session=car.session,
            merge=car.id,
            into=key[1],
            method=car.method,
            tip=car.tip,
            commit=car.commit,
            before=car.onto,
            checkout=checkout,
        )
        await self._hub.record(landed, merged)

    # When it stands still

    async def _held(self, key: Key, error: Exception) -> None:
        """The front car tells why nothing goes on."""
        train = find_train(self._hub.state, key)
        front = train.cars[0] if train and train.cars else None
        if front is not None and front.error != said(error):
            hint = getattr(error, "hint", "") or "it is tried again by itself"
            await self._hub.record(of_car(t.CarHeld, key, front, error=said(error), hint=hint))

    async def _clear(self, key: Key) -> None:
        """Nothing of an empty train is left, but for its benches, which stay warm for a while."""
        repo = key[0]
        others = [train for (path, _), train in all_trains(self._hub.state, repo) if train.cars]
        await station.unpin(repo, [car.id for train in others for car in train.cars])
        if others or repo in self._cooling or not await checks.warm_benches(self._hub.home, repo):
            return
        seconds = 60 * self._hub.last_settings.train.warm_minutes
        cool = lambda: self._hub.spawn(self._cool(repo))  # noqa: E731
        self._cooling[repo] = asyncio.get_running_loop().call_later(seconds, cool)

    async def _cool(self, repo: str) -> None:
        self._cooling.pop(repo, None)
        if any(run.key[0] == repo for run in self._runs.values()):
            return
        for bench in await checks.warm_benches(self._hub.home, repo):
            await checks.clear_away(self._hub.home, bench)


TRIED_ENOUGH = 99
"""No re-run would change it."""


def _unchecked(car: Car) -> dict[str, object]:
    if car.untested:
        return {"passed": True, "attempt": 1, "untested": True, "error": UNTESTED}
    return {
        "passed": False,
        "attempt": TRIED_ENOUGH,
        "error": "nothing tests it: the tree that would land has no [checks]",
        "hint": "add them, or say that it may land untested: `manyhands train add --untested`",
    }


def _are_moving(state: State) -> bool:
    return any(train.cars for _, train in all_trains(state))
