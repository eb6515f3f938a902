"""How soon a session has its worktree: from a spare, made for it, and forty at once.

Each against raw `git worktree add` of the same commit in the same repository and the same run, in
turns. The time of ours runs from `session_created` to `worktree_ready` as a subscriber sees them;
for the forty, from the first request to the last worktree. Nothing is fetched: there is no remote.
The files lie in memory where there is room, so that neither side pays for its luck on a disk.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bench.figures import Measured, at_most
from bench.repository import git
from bench.stream import Event, Stream, open_stream
from bench.world import World, in_memory, open_world

SMALL, LARGE = 2000, 50_000
AT_ONCE = 40
WARM_SMALL_BAR, WARM_LARGE_BAR = 1 / 8, 1 / 100
COLD_BAR, AT_ONCE_BAR = 1.15, 1.2
CONFIG = "[workspaces]\npool = {pool}\n"
SECONDS = 600.0
Samples = dict[str, list[float]]


def measure(*, quick: bool = False) -> Measured:
    with open_world(CONFIG.format(pool=1), within=in_memory()) as world:
        world.start_hub()
        samples = asyncio.run(_all(world, quick))
    middle = {name: statistics.median(values) for name, values in samples.items()}
    shares = {
        name: middle[name] / middle[f"{name}_raw"]
        for name in ("warm_small", "warm_large", "cold", "at_once")
    }
    return Measured(
        bars=[
            at_most(f"warm ÷ raw add, {SMALL} files", shares["warm_small"], WARM_SMALL_BAR, "×"),
            at_most(f"warm ÷ raw add, {LARGE} files", shares["warm_large"], WARM_LARGE_BAR, "×"),
            at_most(f"cold ÷ raw add, {SMALL} files", shares["cold"], COLD_BAR, "×"),
            at_most(f"{AT_ONCE} at once ÷ {AT_ONCE} raw adds", shares["at_once"], AT_ONCE_BAR, "×"),
        ],
        notes=[
            f"{name}: {middle[name] * 1000:.1f} ms, raw {middle[f'{name}_raw'] * 1000:.1f} ms"
            for name in shares
        ],
        samples=samples,
    )


async def _all(world: World, quick: bool) -> dict[str, Any]:
    samples: dict[str, Any] = {}
    async with open_stream(world.home) as stream:
        small = await asyncio.to_thread(world.repository, "small", SMALL)
        samples |= await _one_by_one(world, stream, small, "warm_small", 5 if quick else 15)
        async with _without_pool(world, small):
            samples |= await _one_by_one(world, stream, small, "cold", 9 if quick else 25)
        samples |= await _at_once(world, stream, small, 1 if quick else 3)
        large = await asyncio.to_thread(world.repository, "large", LARGE)
        samples |= await _one_by_one(world, stream, large, "warm_large", 2 if quick else 4)
    return samples


@asynccontextmanager
async def _without_pool(world: World, repo: Path) -> AsyncIterator[None]:
    world.home.config.write_text(CONFIG.format(pool=0), encoding="utf-8")
    world.trust(repo)
    await asyncio.to_thread(_await_spares, world, repo, False)
    try:
        yield
    finally:
        world.home.config.write_text(CONFIG.format(pool=1), encoding="utf-8")


async def _one_by_one(
    world: World, stream: Stream, repo: Path, name: str, rounds: int
) -> dict[str, list[float]]:
    samples: Samples = {name: [], f"{name}_raw": []}
    is_warm = name.startswith("warm")
    for number in range(rounds):
        # A spare is filled after each session: raw git must not have to share the disk with that.
        if is_warm:
            await asyncio.to_thread(_await_spares, world, repo, True)
        raw = await asyncio.to_thread(_raw, world, repo, f"{name}-{number}")
        samples[f"{name}_raw"].append(raw)
        samples[name].append(await _new(world, stream, repo, f"{name} {number}", is_warm))
        print(name, number, {k: round(v[-1], 4) for k, v in samples.items()}, file=sys.stderr)
    return samples


async def _new(world: World, stream: Stream, repo: Path, title: str, is_warm: bool) -> float:
    """Seconds from `session_created` to `worktree_ready`."""
    stream.events.clear()
    session = await asyncio.to_thread(world.client.new, _request(repo, title))
    ready = await stream.until(lambda ev: _is(ev, "worktree_ready", session.id), 1, SECONDS)
    created = next((at, ev) for at, ev in stream.events if _is(ev, "session_created", session.id))
    if bool(created[1].get("spare")) != is_warm:
        raise RuntimeError(f"a session was {'not ' if is_warm else ''}made from a spare")
    return ready - created[0]


def _is(event: Event, kind: str, session: str) -> bool:
    return bool(event["type"] == kind and event["session"] == session)


def _await_spares(world: World, repo: Path, wanted: bool) -> None:
    """Until a spare is ready, or none is left: the time that passes here is nobody's."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        spares = next(r.spares for r in world.client.repos() if r.path == str(repo))
        if any(spare.ready for spare in spares) if wanted else not spares:
            return
        time.sleep(0.05)
    raise TimeoutError(f"the pool of {repo} never came to rest")


async def _at_once(world: World, stream: Stream, repo: Path, rounds: int) -> dict[str, list[float]]:
    samples: Samples = {"at_once": [], "at_once_raw": []}
    for number in range(rounds):
        names = [f"forty-{number}-{n}" for n in range(AT_ONCE)]
        samples["at_once_raw"].append(await asyncio.to_thread(_raw, world, repo, *names))
        stream.events.clear()
        began = time.monotonic()
        async with asyncio.TaskGroup() as tasks:
            for n in range(AT_ONCE):
                request = _request(repo, f"Forty {number}")
                tasks.create_task(asyncio.to_thread(world.client.new, request), name=str(n))
        ended = await stream.until(_is_made, AT_ONCE, SECONDS)
        samples["at_once"].append(ended - began)
        print("at_once", {k: round(v[-1], 2) for k, v in samples.items()}, file=sys.stderr)
    return samples


def _is_made(event: Event) -> bool:
    if event["type"] == "session_failed":
        raise RuntimeError(f"a session failed: {event}")
    return bool(event["type"] == "worktree_ready")


def _request(repo: Path, title: str) -> dict[str, Any]:
    return {"repo": str(repo), "name": title, "agent": "rehearsal", "start": False}


def _raw(world: World, repo: Path, *names: str) -> float:
    """Seconds of what a person would type; all taken away again outside of the time."""
    place = world.place / "raw" / repo.name
    began = time.monotonic()
    for name in names:
        git(repo, world.environment, "worktree", "add", "-q", "-b", name, str(place / name), "main")
    seconds = time.monotonic() - began
    for name in names:
        git(repo, world.environment, "worktree", "remove", "--force", str(place / name))
        git(repo, world.environment, "branch", "-q", "-D", name)
    return seconds
