"""From a file written to its diff and its patch at a client, in fifteen busy worktrees at once.

Compared with the plain way in the same run, in turns: the same watcher, and a `git diff`
process for every write, in worktrees of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.figures import Measured, at_least, at_most, spread
from bench.repository import git, name_of
from bench.stream import Event, Stream, open_stream
from bench.world import World, open_world, tell, told
from manyhands.git.diff.pathdiff import PathDiffer
from manyhands.model.ids import Oid

WORKTREES = 15
WRITES_PER_SECOND = 10
P50_MS, P99_MS = 80.0, 200.0
TIMES_FASTER = 10.0
GRACE_SECONDS = 5.0
PROBE = "probe.txt"

Written = dict[tuple[int, str], float]


def measure(*, quick: bool = False) -> Measured:
    with open_world("[limits]\nlinger_seconds = 5.0\n") as world:
        world.start_hub()
        repo = world.repository("repository")
        plain = _plain_worktrees(world, repo)
        return asyncio.run(_measure(world, plain, rounds=2 if quick else 3))


def _plain_worktrees(world: World, repo: Path) -> list[Path]:
    trees = [world.place / "plain" / str(number) for number in range(WORKTREES)]
    for tree in trees:
        git(repo, world.environment, "worktree", "add", "-q", "--detach", str(tree), "main")
    return trees


async def _measure(world: World, plain: list[Path], rounds: int) -> Measured:
    sessions = await asyncio.to_thread(_new_sessions, world)
    ids = [id for id, _ in sessions]
    trees = [tree for _, tree in sessions]
    samples: dict[str, list[float]] = {"ours": [], "patch": [], "whole": [], "path": []}
    missing = 0
    by_git = world.module("bench.live_diff_by_git", *map(str, plain))
    told(by_git)
    async with open_stream(world.home) as stream:
        await stream.look(*ids)
        await _watched(stream, ids, trees)
        for number in range(rounds):
            diffs, patches, lost = await _ours(stream, ids, trees, number)
            samples["ours"] += diffs
            samples["patch"] += patches
            missing += lost
            samples["whole"] += await _theirs(by_git, plain, 2 * number, whole=True)
            samples["path"] += await _theirs(by_git, plain, 2 * number + 1, whole=False)
        one_path = await asyncio.to_thread(_one_path, world, plain[0])
    return _judge(samples, one_path, missing)


def _judge(
    samples: dict[str, list[float]], one_path: dict[str, list[float]], missing: int
) -> Measured:
    names = ("ours", "patch", "whole", "path")
    ours, patch, whole, path = (spread(samples[name]) for name in names)
    process, differ = (statistics.median(one_path[name]) for name in ("process", "ours"))
    times = whole["p50"] / ours["p50"]
    return Measured(
        bars=[
            at_most("write → `diff_changed` at the client, p50", ours["p50"], P50_MS, "ms"),
            at_most("write → `diff_changed` at the client, p99", ours["p99"], P99_MS, "ms"),
            at_most("write → its patch at the client, p50", patch["p50"], P50_MS, "ms"),
            at_most("write → its patch at the client, p99", patch["p99"], P99_MS, "ms"),
            at_most("writes whose diff or patch never came", missing, 0),
            at_least(
                "× faster than `git diff BASE` per write, p50 (it falls behind)",
                times,
                TIMES_FASTER,
                "×",
            ),
        ],
        notes=[
            f"{WORKTREES} worktrees of 2,000 files, {WRITES_PER_SECOND} writes/s each",
            f"ours {ours} ms over {len(samples['ours'])} writes, with the patch {patch} ms",
            f"`git diff BASE` per write {whole} ms, `git diff BASE -- path` {path} ms",
            f"write → diff, against `git diff BASE -- path`: {path['p50'] / ours['p50']:.1f} ×",
            f"one path: {differ:.3f} ms, by a process {process:.2f} ms ({process / differ:.1f} ×)",
        ],
        samples={
            **{f"{name}_ms": _rounded(values) for name, values in samples.items()},
            "one_path_ms": one_path,
        },
    )


def _one_path(world: World, tree: Path) -> dict[str, list[float]]:
    """Milliseconds for the diff of one written file, with and without a process, in turns."""
    differ = PathDiffer(tree, Oid(git(tree, world.environment, "rev-parse", "HEAD")))
    samples: dict[str, list[float]] = {"process": [], "ours": []}
    for number in range(100):
        path = name_of(number)
        began = time.perf_counter()
        by_git = git(tree, world.environment, "diff", "--numstat", "HEAD", "--", path)
        samples["process"].append((time.perf_counter() - began) * 1000)
        began = time.perf_counter()
        found = differ.change(path)
        samples["ours"].append((time.perf_counter() - began) * 1000)
        if found is None or by_git.split() != [str(found.added), str(found.removed), path]:
            raise RuntimeError(f"git says {by_git!r}, we say {found!r}")
    return samples


def _rounded(samples: list[float]) -> list[float]:
    return [round(sample, 1) for sample in samples]


def _new_sessions(world: World) -> list[tuple[str, Path]]:
    repo = str(world.place / "repository")
    requests = [{"repo": repo, "name": f"Busy {n}", "start": False} for n in range(WORKTREES)]
    with ThreadPoolExecutor(4) as pool:
        return [(s.id, Path(s.worktree)) for s in pool.map(world.client.new, requests)]


async def _watched(stream: Stream, sessions: list[str], trees: list[Path]) -> None:
    """Returns when a change in every worktree is being told."""
    missing = dict(zip(sessions, trees, strict=True))

    def completes(event: Event) -> bool:
        if event.get("path") == PROBE:
            missing.pop(event["session"], None)
        return not missing

    for attempt in range(60):
        for tree in missing.values():
            (tree / PROBE).write_text("probe\n" * (attempt + 1))
        with contextlib.suppress(TimeoutError):
            await stream.until(completes, 1, 0.5)
            return
    raise TimeoutError(f"{len(missing)} worktrees are not watched")


async def _ours(
    stream: Stream, sessions: list[str], trees: list[Path], number: int
) -> tuple[list[float], list[float], int]:
    """Milliseconds to each diff and to each patch, and how many of either never came."""
    stream.events.clear()
    index = {session: n for n, session in enumerate(sessions)}
    written = await write_all(trees, number)
    with contextlib.suppress(TimeoutError):
        await stream.until(_is_diff, len(written), GRACE_SECONDS)
    diffs: Written = {}
    patches: Written = {}
    for at, event in stream.events:
        if _is_diff(event):
            diffs.setdefault((index[event["session"]], event["path"]), at)
        elif event.get("type") == "patched" and event["patch"]:
            patches.setdefault((index[event["session"]], event["file"]["path"]), at)
    waits = [_waited(written, came) for came in (diffs, patches)]
    return waits[0], waits[1], 2 * len(written) - len(waits[0]) - len(waits[1])


def _waited(written: Written, came: Written) -> list[float]:
    return [(came[key] - at) * 1000 for key, at in written.items() if key in came]


def _is_diff(event: Event) -> bool:
    return event.get("type") == "diff_changed" and event["path"] != PROBE


async def _theirs(
    by_git: subprocess.Popen[str], trees: list[Path], number: int, *, whole: bool
) -> list[float]:
    """What has not come when patience ends counts with the time waited so far."""
    tell(by_git, whole=whole)
    written = await write_all(trees, number)
    tell(by_git, expect=len(written))
    came: Written = {}
    for tree, path, at in (await asyncio.to_thread(told, by_git))["came"]:
        came.setdefault((tree, path), at)
    ended = time.monotonic()
    return [(came.get(key, ended) - at) * 1000 for key, at in written.items()]


async def write_all(trees: list[Path], number: int, seconds: float = 12.0) -> Written:
    """Append to one file after the other, each once, evenly over time and worktrees."""
    written: Written = {}
    began = time.monotonic()
    per_tree = int(WRITES_PER_SECOND * seconds)
    for turn in range(per_tree * len(trees)):
        due = began + turn / (WRITES_PER_SECOND * len(trees))
        if (pause := due - time.monotonic()) > 0:
            await asyncio.sleep(pause)
        tree, file = turn % len(trees), name_of(number * per_tree + turn // len(trees))
        written[tree, file] = time.monotonic()
        with (trees[tree] / file).open("a", encoding="utf-8") as out:
            out.write("one_more_line = True\n")
    return written
