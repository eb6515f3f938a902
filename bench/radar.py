"""The radar: all pairs of fifteen sessions, one changed file, and its share of the processor.

Compared with the bare way in the same run, in turns: a `git merge-tree` process for every pair.
The repository has 50,000 files, of which every checkout holds a part (a sparse checkout).
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from bench.figures import Measured, at_most, spread
from bench.live_diff import _new_sessions, _watched
from bench.repository import PER_DIRECTORY, git, name_of
from bench.stream import open_stream
from bench.world import World, open_world
from manyhands.git.radar.board import Board
from manyhands.git.radar.standing import BaseStanding
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import Oid, SessionId
from manyhands.station.radar import News, RepoSides
from manyhands.station.worktree import Worktree

SESSIONS = 15
FILES = 50_000
CHECKED_OUT = 20
"""Directories that are checked out."""
OF_A_PROCESS_PER_PAIR = 0.6
CHANGED_FILE_MS = 150.0
SHARE = 3.0
SHARED = (name_of(0), name_of(1))
ON, OFF = (
    "[limits]\nlinger_seconds = 5.0\n",
    "[limits]\nlinger_seconds = 5.0\n[radar]\nenabled = false\n",
)


def measure(*, quick: bool = False) -> Measured:
    rounds = 3 if quick else 7
    with open_world(ON) as world:
        repo = world.repository("repository", FILES)
        _make_sparse(world, repo)
        trees = [_worktree(world, repo, number) for number in range(SESSIONS)]
        plain = _pairs(world, repo, trees, rounds)
        changed = _one_file(world, repo, trees, rounds * 10)
        for number, tree in enumerate(trees):
            _rename_something(tree, number)
        moved = _pairs(world, repo, trees, rounds)
        share = asyncio.run(_share(world, rounds=1 if quick else 2))
    return _judge(plain, moved, changed, share)


def _make_sparse(world: World, repo: Path) -> None:
    parts = [f"src/part{number:03d}" for number in range(CHECKED_OUT)]
    git(repo, world.environment, "sparse-checkout", "set", *parts)


def _worktree(world: World, repo: Path, number: int) -> Path:
    """Uncommitted work: twenty files of its own, two that all touch, and a new one."""
    tree = world.place / "trees" / str(number)
    git(repo, world.environment, "worktree", "add", "-q", "-b", f"s{number}", str(tree), "main")
    own = (name_of(PER_DIRECTORY * (number + 1) + n) for n in range(20))
    for path in (*own, *SHARED):
        _append(tree / path, f"work_of_{number} = True\n")
    (tree / f"new_{number}.py").write_text("x = 1\n")
    return tree


def _append(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8") as out:
        out.write(text)


def _rename_something(tree: Path, number: int) -> None:
    """Into and out of a folder that all have in common: every pair must be tried whole."""
    old = tree / name_of(PER_DIRECTORY * (number + 1) + 40)
    old.rename(tree / "src/part000" / f"moved_{number}.py")
    (tree / name_of(number + 10)).unlink()


def _pairs(world: World, repo: Path, trees: list[Path], rounds: int) -> dict[str, list[float]]:
    """Milliseconds for all pairs, with nothing known of their merges, from what each changed."""
    samples: dict[str, list[float]] = {"ours": [], "process": []}
    names = [str(number) for number in range(len(trees))]
    pairs = list(itertools.combinations(names, 2))
    base = Oid(git(repo, world.environment, "rev-parse", "main"))
    for _ in range(rounds):
        board, bare = (_board(world, repo, base, trees, place) for place in ("board", "bare"))
        began = time.perf_counter()
        found = board.forecast(pairs)
        samples["ours"].append((time.perf_counter() - began) * 1000)
        conflicted = sum(any(c.kind == "conflict" for c in clashes) for clashes in found.values())
        commits = {n: bare.sides[n].trial_commit(bare.store) for n in names}
        # A store of their own: in ours, the merged files that they have to write lie already.
        objects = str(world.place / "bare" / "store" / "objects")
        environment = {**world.environment, "GIT_OBJECT_DIRECTORY": objects}
        began = time.perf_counter()
        clean = [_merges(repo, environment, commits[a], commits[b]) for a, b in pairs]
        samples["process"].append((time.perf_counter() - began) * 1000)
        if clean.count(False) != conflicted:
            raise RuntimeError(f"git finds {clean.count(False)} conflicts, we {conflicted}")
    return samples


def _board(world: World, repo: Path, base: Oid, trees: list[Path], place: str) -> Board:
    """Everything read, nothing tried."""
    board = Board(repo, world.place / place)
    for number, tree in enumerate(trees):
        board.sides[str(number)] = BaseStanding(base, base, tree)
        board.scan(str(number))
    return board


def _merges(repo: Path, environment: dict[str, str], one: str, other: str) -> bool:
    argv = ["git", "merge-tree", "--write-tree", one, other]
    done = subprocess.run(argv, cwd=repo, env=environment, capture_output=True, check=False)
    return done.returncode == 0


def _one_file(world: World, repo: Path, trees: list[Path], times: int) -> list[float]:
    """Milliseconds from the word that a file changed, which all have changed, to the forecast."""
    base = Oid(git(repo, world.environment, "rev-parse", "main"))
    sessions = [
        Worktree(
            session=SessionId(str(n)),
            repo=str(repo),
            path=str(tree),
            base=base,
            kept="",
            base_name="main",
        )
        for n, tree in enumerate(trees)
    ]
    sides = RepoSides(repo, world.place / "sides")
    sides.forecast(sessions, {})
    samples = []
    for number in range(times):
        tree, id = trees[number % len(trees)], SessionId(str(number % len(trees)))
        _append(tree / SHARED[0], f"more_{number} = True\n")
        oid = git(tree, world.environment, "hash-object", SHARED[0])
        event = e.DiffChanged(
            session=id, at=now(), path=SHARED[0], status="modified", mode="100644", oid=oid
        )
        total = len(sides.board.sides[id].changes)
        news = {id: News({SHARED[0]: _with_total(event, total)})}
        began = time.perf_counter()
        sides.forecast(sessions, news)
        samples.append((time.perf_counter() - began) * 1000)
    return samples


def _with_total(event: e.DiffChanged, total: int) -> e.DiffChanged:
    known = {name: getattr(event, name) for name in event.__struct_fields__}
    return e.DiffChanged(**{**known, "total_files": total})


async def _share(world: World, rounds: int) -> dict[str, list[float]]:
    """Percent of a core that the hub uses while fifteen worktrees are written to, once a second."""
    samples: dict[str, list[float]] = {"on": [], "off": []}
    world.start_hub()
    world.trust(world.place / "repository")
    sessions = await asyncio.to_thread(_new_sessions, world)
    for number in range(rounds):
        for name, config in (("on", ON), ("off", OFF)):
            world.stop_hub()
            world.home.config.write_text(config, encoding="utf-8")
            world.start_hub()
            samples[name].append(await _used(world, sessions, number))
    return samples


async def _used(world: World, sessions: list[tuple[str, Path]], number: int) -> float:
    ids, trees = [id for id, _ in sessions], [tree for _, tree in sessions]
    async with open_stream(world.home) as stream:
        await stream.look(*ids)
        await _watched(stream, ids, trees)
        await asyncio.sleep(5.0)
        hub = psutil.Process(world.hub_pid)
        began, before = time.monotonic(), _spent(hub)
        for turn in range(20):
            for tree, file in zip(trees, _files(turn), strict=True):
                _append(tree / file, f"round_{number}_{turn} = True\n")
                await asyncio.sleep(1.0 / len(trees))
        return 100 * (_spent(hub) - before) / (time.monotonic() - began)


def _files(turn: int) -> Iterator[str]:
    """One in five writes goes to a file that others write to as well."""
    for session in range(SESSIONS):
        yield SHARED[0] if (turn + session) % 5 == 0 else name_of(50 * (session + 1) + turn)


def _spent(hub: psutil.Process) -> float:
    times = hub.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


def _judge(
    plain: dict[str, list[float]],
    moved: dict[str, list[float]],
    changed: list[float],
    share: dict[str, list[float]],
) -> Measured:
    def against(samples: dict[str, list[float]]) -> float:
        return statistics.median(samples["ours"]) / statistics.median(samples["process"])

    on, off = (statistics.median(share[name]) for name in ("on", "off"))
    return Measured(
        bars=[
            at_most("105 pairs, of a process per pair", against(plain), OF_A_PROCESS_PER_PAIR, "×"),
            at_most("105 pairs with renames, of the same", against(moved), OF_A_PROCESS_PER_PAIR),
            at_most(
                "one changed file → forecast, p99", spread(changed)["p99"], CHANGED_FILE_MS, "ms"
            ),
            at_most("the radar's share of a core, 15 writers", max(0.0, on - off), SHARE, "%"),
        ],
        notes=[
            f"{SESSIONS} worktrees of {FILES} files, {CHECKED_OUT * PER_DIRECTORY} checked out",
            f"105 pairs: {spread(plain['ours'])} ms, processes {spread(plain['process'])} ms",
            f"with renames: {spread(moved['ours'])} ms, processes {spread(moved['process'])} ms",
            f"one file that all have changed: {spread(changed)} ms",
            f"hub with radar {on:.2f} % of a core, without {off:.2f} %",
        ],
        samples={"pairs_ms": plain, "renames_ms": moved, "changed_ms": changed, "share": share},
    )
