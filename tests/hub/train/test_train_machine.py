"""The train under every interleaving: passes, failures, flakes, conflicts, moves, kills.

What git and the checks do is played by a small world of commits, in which a merge is a merge of
three trees and a check is a property of a tree. What is on record, and what follows from it, is
the product's own.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

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
from manyhands.model.ids import Oid, SessionId
from manyhands.model.train import events as t
from manyhands.model.train.train import Car, Train, fold_train

PATHS = "abcdef"
Tree = tuple[tuple[str, int], ...]


class Killed(Exception):
    """The hub is no more; what is on record and in the repository is what there is."""


class World:
    """A repository: commits with their trees and parents, branches, and what checks say of it."""

    def __init__(self) -> None:
        self.trees: dict[Oid, Tree] = {}
        self.parent: dict[Oid, Oid] = {}
        self.main = self.commit({}, Oid(""))
        self.branches: dict[str, Oid] = {}
        self.forks: dict[str, Oid] = {}
        self.moves: list[tuple[Oid, Oid, str]] = []
        """Of main: from, to, and by which car."""

    def commit(self, files: dict[str, int], parent: Oid, salt: object = "") -> Oid:
        tree = tuple(sorted(files.items()))
        oid = Oid(hashlib.sha256(f"{parent} {tree} {salt}".encode()).hexdigest())
        self.trees[oid], self.parent[oid] = tree, parent
        return oid

    def files(self, commit: Oid) -> dict[str, int]:
        return dict(self.trees[commit])

    def merged(self, fork: Oid, onto: Oid, tip: Oid) -> dict[str, int] | set[str]:
        """The files, or the paths in conflict."""
        was, mine, theirs = self.files(fork), self.files(tip), self.files(onto)
        found, clashes = dict(theirs), set()
        for path in {p for p in (*was, *mine) if was.get(p) != mine.get(p)}:
            if theirs.get(path) in (was.get(path), mine.get(path)):
                found[path] = mine[path]
            else:
                clashes.add(path)
        return clashes or found

    def is_green(self, commit: Oid) -> bool:
        """Some values are bad by themselves, and some only beside others."""
        values = [value for _, value in self.trees[commit]]
        return not any(v % 7 == 6 for v in values) and sum(v % 5 == 4 for v in values) < 2

    def contains(self, commit: Oid, target: Oid) -> bool:
        while target and target != commit:
            target = self.parent[target]
        return bool(target)


class TrainMachine(RuleBasedStateMachine):
    @initialize(window=st.integers(1, 3), reruns=st.integers(0, 1))
    def begin(self, window: int, reruns: int) -> None:
        self.world = World()
        self.train = Train(into="main")
        self.window, self.reruns = window, reruns
        self.running: dict[str, Oid] = {}
        self.busy: set[str] = set()
        self.gone: set[str] = set()
        self.count = 0
        self.clock = 0
        self.runs: Counter[Oid] = Counter()
        self.green: set[Oid] = set()
        """Trees for which a run ended well."""
        self.landed: list[str] = []
        self.kill_at = ""

    # What is on record

    def record(self, event: t.TrainEvent) -> None:
        self.clock += 1
        self.train = fold_train(self.train, event)

    def note(self, kind: type[t.TrainEvent], car: Car, **facts: object) -> None:
        where = {"session": car.session, "path": "/repo", "into": "main", "car": car.id}
        self.record(kind(**where, at=f"{self.clock:06}", **facts))  # type: ignore[arg-type]

    # What people and agents do

    @rule(edits=st.dictionaries(st.sampled_from(PATHS), st.integers(1, 40), min_size=1, max_size=2))
    def add_a_car(self, edits: dict[str, int]) -> None:
        self.count += 1
        name = f"car{self.count}"
        self.world.forks[name] = self.world.main
        files = {**self.world.files(self.world.main), **edits}
        self.world.branches[name] = self.world.commit(files, self.world.main, name)
        self.record(
            t.CarAdded(
                session=SessionId(name),
                path="/repo",
                into="main",
                car=name,
                tip=self.world.branches[name],
                at=f"{self.clock:06}",
                method="squash",
            )
        )

    @precondition(lambda self: self.train.cars)
    @rule(data=st.data(), path=st.sampled_from(PATHS), value=st.integers(1, 40))
    def a_car_changes_while_it_waits(self, data: st.DataObject, path: str, value: int) -> None:
        car = data.draw(st.sampled_from(self.train.cars))
        tip = self.world.branches[car.id]
        files = {**self.world.files(tip), path: value}
        self.world.branches[car.id] = self.world.commit(files, tip, self.clock)

    @precondition(lambda self: self.train.cars)
    @rule(data=st.data())
    def a_person_takes_a_car_off(self, data: st.DataObject) -> None:
        car = data.draw(st.sampled_from(self.train.cars))
        if not car.landing:
            self.note(t.CarLeft, car, why="removed")

    @precondition(lambda self: len(self.train.cars) > 1)
    @rule(data=st.data())
    def a_person_moves_a_car(self, data: st.DataObject) -> None:
        car = data.draw(st.sampled_from(self.train.cars))
        if car.state == "tested":
            return
        others = [other for other in self.train.cars if other.id != car.id]
        tested = [n for n, other in enumerate(others, 1) if other.state == "tested"]
        place = data.draw(st.integers(max([*tested, 0]), len(others)))
        ids = [other.id for other in others]
        ids.insert(place, car.id)
        self.record(t.TrainOrdered(path="/repo", into="main", cars=tuple(ids)))

    @precondition(lambda self: self.train.cars)
    @rule(data=st.data())
    def an_agent_begins_or_ends_to_work(self, data: st.DataObject) -> None:
        self.busy ^= {data.draw(st.sampled_from(self.train.cars)).id}

    @precondition(lambda self: self.train.cars)
    @rule(data=st.data())
    def a_session_is_put_away(self, data: st.DataObject) -> None:
        self.gone.add(data.draw(st.sampled_from(self.train.cars)).id)

    @rule(path=st.sampled_from(PATHS), value=st.integers(1, 40))
    def the_branch_moves_outside(self, path: str, value: int) -> None:
        before = self.world.main
        files = {**self.world.files(before), path: value}
        self.world.main = self.world.commit(files, before, self.clock)
        self.world.moves.append((before, self.world.main, ""))

    @rule()
    def a_person_pauses_or_resumes(self) -> None:
        kind = t.TrainResumed if self.train.paused else t.TrainPaused
        self.record(kind(path="/repo", into="main"))

    # What the hub does

    @rule(point=st.sampled_from(("before", "swapped", "built")), cycles=st.integers(0, 6))
    def the_hub_is_killed_somewhere(self, point: str, cycles: int) -> None:
        self.run_on(cycles)
        self.kill_at = point
        with suppress(Killed):
            self.run_on(6)
        self.kill_at = ""
        self.running.clear()

    @rule(cycles=st.integers(1, 6))
    def the_hub_goes_on(self, cycles: int) -> None:
        self.run_on(cycles)

    def run_on(self, cycles: int) -> None:
        """Until it only waits for checks, one of which ends; so many times."""
        for _ in range(cycles):
            while self.step():
                pass
            if self.running:
                self.end_checks(min(self.running))

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def a_check_flakes(self, data: st.DataObject) -> None:
        self.end_checks(data.draw(st.sampled_from(sorted(self.running))), flake=True)

    def end_checks(self, id: str, flake: bool = False) -> None:
        tree, car = self.running[id], self.train.car(id)
        if car is not None and car.tree == tree:
            passed = self.world.is_green(car.commit) and not flake
            if passed:
                self.green.add(tree)
            self.runs[tree] += 1
            self.note(t.CarTested, car, tree=tree, passed=passed, attempt=car.attempts + 1)
        del self.running[id]

    def step(self) -> bool:
        sight = Outlook(
            self.world.main,
            dict(self.world.branches),
            self.busy,
            dict.fromkeys(self.gone, "put away"),
        )
        deeds = plan(self.train, sight, self.running, window=self.window, reruns=self.reruns)
        for deed in deeds:
            self.die("before")
            self.do(deed)
        return bool(deeds)

    def die(self, point: str) -> None:
        if self.kill_at == point:
            raise Killed

    def do(self, deed: Deed) -> None:
        match deed:
            case Requeue(car, tip):
                self.note(t.CarRequeued, car, tip=tip)
            case Leave(car, why, error, _):
                if why != "removed":
                    assert car.onto == self.world.main, "nobody leaves for what others did"
                self.note(t.CarLeft, car, why=why, error=error)
            case AlreadyIn(car):
                assert car.id not in [id for _, _, id in self.world.moves]
                self.note(t.CarLanded, car, commit=car.commit, before=car.onto, already=True)
            case Build(car, onto):
                self.build(car, onto)
            case Try(car):
                assert car.tree not in self.train.passed, "what was found green is not run again"
                self.running[car.id] = car.tree
                self.note(t.CarTestStarted, car, tree=car.tree, commands=("check",))
            case Halt(id):
                del self.running[id]
            case Land(car):
                self.land(car)

    def build(self, car: Car, onto: Oid) -> None:
        found = self.world.merged(self.world.forks[car.id], onto, car.tip)
        if isinstance(found, set):
            self.note(t.CarConflicted, car, onto=onto, paths=tuple(found), error="conflict")
            return
        empty = found == self.world.files(onto)
        commit = onto if empty else self.world.commit(found, onto, (car.tip, car.at))
        self.die("built")
        tree = Oid(str(self.world.trees[commit]))
        self.note(t.CarBuilt, car, onto=onto, commit=commit, tree=tree, empty=empty)

    def land(self, car: Car) -> None:
        world = self.world
        if car.landing and world.contains(car.commit, world.main):
            self.finish(car)
            return
        if world.main != car.onto:
            self.build(car, world.main)
            return
        assert world.branches[car.id] == car.tip or car.landing
        self.note(t.CarLandingStarted, car, onto=car.onto, commit=car.commit)
        self.die("before")
        assert world.main == car.onto
        world.moves.append((world.main, car.commit, car.id))
        world.main = car.commit
        self.die("swapped")
        self.finish(car)

    def finish(self, car: Car) -> None:
        self.landed.append(car.id)
        self.note(t.CarLanded, car, commit=car.commit, before=car.onto)

    # What always holds

    @invariant()
    def main_only_moved_to_tested_trees_one_onto_the_other(self) -> None:
        last = None
        for before, after, car in self.world.moves:
            assert last in (None, before)
            last = after
            if car:
                assert self.world.parent[after] == before
                assert Oid(str(self.world.trees[after])) in self.green

    @invariant()
    def a_car_lands_at_most_once_and_as_it_was_pinned(self) -> None:
        by_car = [car for _, _, car in self.world.moves if car]
        assert len(by_car) == len(set(by_car))
        assert len(self.landed) == len(set(self.landed))

    @invariant()
    def what_landed_is_exactly_what_the_cars_brought(self) -> None:
        for before, after, car in self.world.moves:
            if car:
                was, now = self.world.files(before), self.world.files(after)
                changed = {path for path in now if was.get(path) != now[path]}
                assert changed <= self.touched(car)

    def touched(self, car: str) -> set[str]:
        fork, tip = self.world.forks[car], self.world.branches[car]
        was, now = self.world.files(fork), self.world.files(tip)
        return {path for path in now if was.get(path) != now[path]}

    @invariant()
    def no_tree_is_run_more_often_than_allowed(self) -> None:
        red = Counter(car.tree for car in (*self.train.cars, *self.train.left))
        for tree, count in self.runs.items():
            assert count <= (1 + self.reruns) * max(1, red[tree]) + 1

    @invariant()
    def only_so_many_run_at_once(self) -> None:
        assert len(self.running) <= self.window

    def teardown(self) -> None:
        """With no more faults the queue drains."""
        if not hasattr(self, "world"):
            return
        self.busy.clear()
        self.record(t.TrainResumed(path="/repo", into="main"))
        self.run_on(20 * (len(self.train.cars) + 1))
        assert not self.train.cars
        assert not self.running
        self.check_order()

    def check_order(self) -> None:
        moved: Iterable[str] = (car for _, _, car in self.world.moves if car)
        assert list(moved) == self.landed


TestTrain = TrainMachine.TestCase
TestTrain.settings = settings(
    max_examples=400,
    stateful_step_count=60,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
