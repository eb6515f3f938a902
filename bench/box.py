"""What a box costs: the start of an agent in one, its git directory, and a commit's way out of it.

Each is compared with the bare alternative in the same run: the same program started as it is, a
`git clone --shared` with the index copied, and a `git fetch` from the twin by the user's own git.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from bench.figures import Measured, at_most, spread
from bench.repository import git
from bench.world import World, in_memory, open_world
from manyhands.box.making import make_box, make_ready
from manyhands.box.probe import find_means
from manyhands.box.starting import start_boxed
from manyhands.box.twins import sync_twin, twin_at, with_twin
from manyhands.box.wrapping import wrapped
from manyhands.git.twin.making import remake_twin
from manyhands.model.box import NO_BOX, Box, BoxTerms, BoxWish
from manyhands.process.stop import stop_child

FILES = 50_000
LATER_MS, OUT_SECONDS = 50.0, 0.25
BRANCH, SESSION = "mh/boxed", "s1"
UP = ("/bin/sh", "-c", "echo up; read line")


class Boxed:
    """A worktree of a big repository, and the box of a session there."""

    def __init__(self, world: World) -> None:
        self.world, self.env = world, world.environment
        os.environ["HOME"] = str(world.user_home)
        world.home.make()
        self.repo = world.repository("repo", FILES)
        self.worktree, self.own = world.home.worktrees / "one", world.home.sessions / SESSION
        git(self.repo, self.env, "worktree", "add", "-q", "-b", BRANCH, str(self.worktree))
        self.terms = BoxTerms(BoxWish(), find_means())
        if self.terms.means.by != "bubblewrap":
            raise RuntimeError(f"no box can be measured here: {self.terms.means.reason}")

    def make(self) -> Box:
        """As before every start of an agent."""
        box = make_box(self.world.home, self.own, self.worktree, terms=self.terms, env=self.env)
        made = with_twin(box, self.own, SESSION, BRANCH)
        make_ready(made)
        return made


def measure(*, quick: bool = False) -> Measured:
    with open_world(within=in_memory()) as world:
        boxed = Boxed(world)
        samples = {
            **_twins(boxed, 3 if quick else 9),
            **asyncio.run(_starts(boxed, 20 if quick else 100)),
            **_prefixes(boxed.make(), boxed.worktree, 20 if quick else 100),
            **_commits(boxed, 5 if quick else 25),
        }
    return _judge(samples)


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _twins(boxed: Boxed, rounds: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"twin": [], "clone": []}
    place = twin_at(boxed.own, boxed.worktree, SESSION, BRANCH)
    boxed.make()
    copy = boxed.own / "clone"
    for _ in range(rounds):
        found["twin"].append(_timed(lambda: remake_twin(place)))
        for old in place.twin.parent.glob("twin.aside-*"):
            shutil.rmtree(old)
        found["clone"].append(_timed(lambda: _clone(boxed, copy)))
        shutil.rmtree(copy)
    return found


def _clone(boxed: Boxed, copy: Path) -> None:
    git(boxed.repo, boxed.env, "clone", "-q", "--shared", "--bare", str(boxed.repo), str(copy))
    index = git(boxed.worktree, boxed.env, "rev-parse", "--git-path", "index")
    shutil.copy2(index, copy / "index")


async def _starts(boxed: Boxed, rounds: int) -> dict[str, list[float]]:
    """From asking for it to its first words; the first round warms the caches."""
    found: dict[str, list[float]] = {"boxed": [], "bare": []}
    for number in range(rounds + 1):
        for name, make in (("boxed", boxed.make), ("bare", lambda: NO_BOX)):
            began = time.perf_counter()
            box = await asyncio.to_thread(make)
            child = await start_boxed(box, UP, cwd=boxed.worktree, env=boxed.env)
            await child.output.line()
            if number:
                found[name].append(time.perf_counter() - began)
            await stop_child(child)
    return found


def _prefixes(box: Box, worktree: Path, rounds: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"prefixed": [], "plain": []}
    for _ in range(rounds):
        for name, argv in (("prefixed", wrapped(box, ["/bin/true"])), ("plain", ["/bin/true"])):
            run = lambda argv=argv: subprocess.run(argv, cwd=worktree, check=True)  # noqa: E731
            found[name].append(_timed(run))
    return found


def _commits(boxed: Boxed, rounds: int) -> dict[str, list[float]]:
    """From the end of a commit in the box to its being on the branch here."""
    found: dict[str, list[float]] = {"out": [], "fetch": []}
    box, copy = boxed.make(), boxed.own / "clone"
    sync_twin(box, boxed.own, SESSION, BRANCH)
    _clone(boxed, copy)
    for number in range(rounds):
        line = f"echo {number} >> README && git add README && git commit -qm 'Round {number}'"
        argv = wrapped(box, ["/bin/sh", "-c", line])
        subprocess.run(argv, cwd=boxed.worktree, env=boxed.env, check=True)
        began = time.perf_counter()
        sync_twin(box, boxed.own, SESSION, BRANCH)
        found["out"].append(time.perf_counter() - began)
        tip = git(boxed.repo, boxed.env, "log", "-1", "--format=%s", BRANCH)
        if tip != f"Round {number}":
            raise RuntimeError(f"the commit of round {number} did not come out: {tip}")
        began = time.perf_counter()
        git(copy, boxed.env, "fetch", "-q", "--no-tags", box.twin, f"+{BRANCH}:{BRANCH}")
        found["fetch"].append(time.perf_counter() - began)
    return found


def _judge(samples: dict[str, list[float]]) -> Measured:
    ms = {name: statistics.median(values) * 1000 for name, values in samples.items()}
    later, out = ms["boxed"] - ms["bare"], ms["out"] / 1000
    worst = spread(samples["boxed"])
    return Measured(
        bars=[
            at_most("an agent is up later than without a box, p50", later, LATER_MS, "ms"),
            at_most(f"a commit until it is outside, {FILES} files, p50", out, OUT_SECONDS, "s"),
        ],
        notes=[
            f"up: {ms['boxed']:.0f} ms (p99 {worst['p99'] * 1000:.0f}), bare {ms['bare']:.0f} ms",
            f"the prefix alone: {ms['prefixed']:.0f} ms with, {ms['plain']:.1f} ms without",
            f"git directory: {ms['twin']:.0f} ms, `git clone --shared` and index {ms['clone']:.0f}",
            f"a commit: {ms['out']:.0f} ms, a bare `git fetch` of it {ms['fetch']:.0f} ms",
            "the files lie in memory, where there is room",
        ],
        samples=samples,
    )
