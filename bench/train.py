"""Ten finished branches landed by the train, and one after the other by `merge`, in the same run.

The check keeps a core busy for as long as it takes, and says the same of the same tree each time.
Both sides land the same changes on the same repository, anew for every round. In the second half
one car in the middle fails: by hand it is passed over, the train leaves it and goes on.
"""

from __future__ import annotations

import contextlib
import statistics
import sys
import time
from pathlib import Path

import msgspec

from bench.figures import Measured, at_least
from bench.repository import git, name_of
from bench.world import World, in_memory, open_world
from manyhands.contract.train import CarView
from manyhands.errors import ManyhandsError

CARS = 10
FILES = 500
SECONDS, QUICK_SECONDS = 5.0, 2.0
BAR, BAR_FAILING = 1.7, 1.3
PATIENCE = 600.0
CONFIG = "[workspaces]\npool = 0\n[radar]\nenabled = false\n"
CHECK = (
    "import pathlib, sys, time\n"
    "end = time.process_time() + {seconds}\n"
    "while time.process_time() < end: sum(range(10000))\n"
    "sys.exit(pathlib.Path('bad').exists())\n"
)


def measure(*, quick: bool = False) -> Measured:
    seconds = QUICK_SECONDS if quick else SECONDS
    rounds = 1 if quick else 3
    samples: dict[str, list[float]] = {}
    with open_world(CONFIG, within=in_memory()) as world:
        world.start_hub()
        for number in range(rounds):
            for failing in (None, CARS // 2):
                for way in (_by_train, _by_hand):
                    name = (
                        f"{way.__name__.removeprefix('_')}{'' if failing is None else '_failing'}"
                    )
                    repo = _repository(world, f"{name}-{number}", seconds)
                    cars = [_car(world, repo, n, bad=n == failing) for n in range(CARS)]
                    began = time.perf_counter()
                    way(world, repo, cars)
                    samples.setdefault(name, []).append(time.perf_counter() - began)
                    _require_landed(world, repo, failing)
    return _judge(samples, seconds, rounds)


def _judge(samples: dict[str, list[float]], seconds: float, rounds: int) -> Measured:
    middle = {name: statistics.median(found) for name, found in samples.items()}
    plain = middle["by_hand"] / middle["by_train"]
    failing = middle["by_hand_failing"] / middle["by_train_failing"]
    about = f"{CARS} cars, a check of {seconds:g} s"
    return Measured(
        bars=[
            at_least(f"train, sooner than one by one ({about})", plain, BAR, "×"),
            at_least("the same with one failing in the middle", failing, BAR_FAILING, "×"),
        ],
        notes=[f"{name}: {value:.2f} s (median of {rounds})" for name, value in middle.items()],
        samples={"seconds": samples},
    )


def _repository(world: World, name: str, seconds: float) -> Path:
    repo = world.repository(name, FILES)
    check = repo / "check.py"
    check.write_text(CHECK.format(seconds=seconds), encoding="utf-8")
    config = f'[checks]\nrun = ["{sys.executable} check.py"]\n'
    (repo / ".manyhands.toml").write_text(config, encoding="utf-8")
    _commit(world, repo)
    world.trust(repo)
    return repo


def _car(world: World, repo: Path, number: int, *, bad: bool) -> str:
    """A session with its work committed."""
    asked = {"text": "", "repo": str(repo), "name": f"car {number}", "start": False}
    made = world.client.new({**asked, "agent": "rehearsal"})
    world.client.wait([made.id], "idle", PATIENCE)
    worktree = Path(made.worktree)
    (worktree / name_of(number)).write_text(f"changed = {number}\n", encoding="utf-8")
    if bad:
        (worktree / "bad").touch()
    _commit(world, worktree)
    return made.id


def _commit(world: World, place: Path) -> None:
    git(place, world.environment, "add", "-A")
    git(place, world.environment, "commit", "-q", "-m", "Work")


def _by_train(world: World, repo: Path, cars: list[str]) -> None:
    world.client.send("/api/train/add", {"sessions": cars})
    deadline = time.monotonic() + PATIENCE
    while any(car.position or car.mending for car in _cars(world, repo)):
        assert time.monotonic() < deadline, "the train does not arrive"
        time.sleep(0.05)


def _cars(world: World, repo: Path) -> list[CarView]:
    said = world.client.fetch("/api/train/cars", repo=str(repo))
    return msgspec.json.decode(said, type=list[CarView])


def _by_hand(world: World, repo: Path, cars: list[str]) -> None:
    for car in cars:
        with contextlib.suppress(ManyhandsError):  # the one that fails
            world.client.send_to(car, "merge", {}, timeout=PATIENCE)


def _require_landed(world: World, repo: Path, failing: int | None) -> None:
    merges = git(repo, world.environment, "rev-list", "--count", "--merges", "main")
    assert int(merges) == CARS - (failing is not None), merges
