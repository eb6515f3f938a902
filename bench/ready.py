"""How soon five sessions that are asked for at once are ready to run, against one plain install.

The repository is that of `dependencies`: `npm ci` really unpacks a package of 30,000 files, and
nothing comes from a network. There is no spare: one of the five installs, the others take it over.
Both sides work in the same place in the same run, in turns, in memory where there is room, so that
neither pays for its luck on a disk. The time of ours runs from the first request to the last
`setup_finished` as a subscriber sees it. Beside it, as a note: the same where a spare was ready.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.dependencies import (
    SECONDS,
    await_installed_spare,
    dependent_repository,
    require_complete,
)
from bench.figures import Measured, at_most
from bench.repository import git
from bench.stream import Event, Stream, open_stream
from bench.world import World, in_memory, open_world

AT_ONCE = 5
BAR = 1.3
INSTALL = ("npm", "ci", "--no-audit", "--no-fund", "--prefer-offline")
CONFIG = "[workspaces]\npool = {pool}\n"


def measure(*, quick: bool = False) -> Measured:
    with open_world(CONFIG.format(pool=0), within=in_memory()) as world:
        world.start_hub()
        samples = asyncio.run(_samples(world, 1 if quick else 3))
    cold, warm, plain = (statistics.median(samples[n]) for n in ("cold", "warm", "plain"))
    return Measured(
        bars=[at_most(f"{AT_ONCE} sessions at once ÷ one install", cold / plain, BAR, "×")],
        notes=[
            f"ready after {cold:.1f} s, one install {plain:.1f} s",
            f"from a spare and what it installed: {warm:.1f} s",
        ],
        samples=samples,
    )


async def _samples(world: World, rounds: int) -> dict[str, list[float]]:
    samples: dict[str, list[float]] = {"cold": [], "warm": [], "plain": []}
    repo = await asyncio.to_thread(dependent_repository, world)
    async with open_stream(world.home) as stream:
        for number in range(rounds):
            await asyncio.to_thread(_move_base, world, repo, number)
            samples["plain"].append(await asyncio.to_thread(_plain, world, repo))
            samples["cold"].append(await _at_once(world, stream, repo, f"cold {number}"))
            print({name: round(v[-1], 2) for name, v in samples.items() if v}, file=sys.stderr)
        world.home.config.write_text(CONFIG.format(pool=1), encoding="utf-8")
        await asyncio.to_thread(_move_base, world, repo, rounds)
        await asyncio.to_thread(await_installed_spare, world, repo)
        samples["warm"].append(await _at_once(world, stream, repo, "warm"))
    return samples


def _move_base(world: World, repo: Path, number: int) -> None:
    """Nothing that was installed for another base is taken over."""
    (repo / "round.txt").write_text(f"{number}\n", encoding="utf-8")
    git(repo, world.environment, "add", "-A")
    git(repo, world.environment, "commit", "-q", "-m", f"Round {number}")
    world.trust(repo)


def _plain(world: World, repo: Path) -> float:
    """What a person would type, in a worktree of its own that is taken away again."""
    place = world.place / "plain"
    git(repo, world.environment, "worktree", "add", "-q", "--detach", str(place))
    began = time.monotonic()
    subprocess.run(INSTALL, cwd=place, env=world.environment, check=True, capture_output=True)
    seconds = time.monotonic() - began
    require_complete(place)
    git(repo, world.environment, "worktree", "remove", "--force", str(place))
    return seconds


async def _at_once(world: World, stream: Stream, repo: Path, title: str) -> float:
    stream.events.clear()
    began = time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        asked = [
            tasks.create_task(asyncio.to_thread(world.client.new, _request(repo, f"{title} {n}")))
            for n in range(AT_ONCE)
        ]
    ended = await stream.until(_is_set_up, AT_ONCE, SECONDS)
    for one in asked:
        require_complete(Path(one.result().worktree))
    return ended - began


def _is_set_up(event: Event) -> bool:
    if event.get("outcome") == "failed":
        raise RuntimeError(f"a setup failed: {event}")
    return bool(event["type"] == "setup_finished")


def _request(repo: Path, title: str) -> dict[str, Any]:
    return {"repo": str(repo), "name": title, "agent": "rehearsal", "start": False}
