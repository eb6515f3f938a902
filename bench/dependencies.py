"""How soon the second session has its dependencies, against `cp -a` of what the first one has.

The repository brings a package of 30,000 files as a tarball of its own, so nothing comes from a
network: `npm ci` really installs it, for the first session and then, ahead of time, for the spare.
The time of ours runs from `session_created` to `setup_finished` as a subscriber sees them.
"""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

from bench.figures import Measured, at_least
from bench.repository import git
from bench.stream import Event, Stream, open_stream
from bench.world import World, open_world

FILES = 30_000
SOONER_BAR = 20.0
SECONDS = 900.0
PACKAGE = {"name": "big", "version": "1.0.0"}


def measure(*, quick: bool = False) -> Measured:
    with open_world("[workspaces]\npool = 1\n") as world:
        world.start_hub()
        samples = asyncio.run(_samples(world, 1 if quick else 3))
    ours, copied = (statistics.median(samples[name]) for name in ("ours", "cp"))
    return Measured(
        bars=[at_least(f"cp -a of {FILES} files ÷ second session", copied / ours, SOONER_BAR, "×")],
        notes=[f"setup finished after {ours * 1000:.0f} ms, cp -a {copied * 1000:.0f} ms"],
        samples=samples,
    )


async def _samples(world: World, rounds: int) -> dict[str, list[float]]:
    samples: dict[str, list[float]] = {"ours": [], "cp": []}
    repo = await asyncio.to_thread(dependent_repository, world)
    async with open_stream(world.home) as stream:
        _, first = await _new(world, stream, repo, "first")
        for number in range(rounds):
            await asyncio.to_thread(await_installed_spare, world, repo)
            samples["cp"].append(await asyncio.to_thread(_copy, world, first))
            seconds, place = await _new(world, stream, repo, f"second {number}")
            require_complete(place)
            samples["ours"].append(seconds)
            print({name: round(v[-1], 3) for name, v in samples.items()}, file=sys.stderr)
    return samples


def dependent_repository(world: World) -> Path:
    """One whose install makes many files."""
    repo = world.repository("app", 20)
    with tarfile.open(repo / "big.tgz", "w:gz") as archive:
        _add(archive, "package.json", json.dumps(PACKAGE))
        for number in range(FILES):
            name = f"lib/{number // 100}/{number}.js"
            _add(archive, name, f"module.exports = {number};\n" * (1 + number % 40))
    wanted = {"name": "app", "version": "1.0.0", "dependencies": {"big": "file:big.tgz"}}
    (repo / "package.json").write_text(json.dumps(wanted), encoding="utf-8")
    (repo / ".gitignore").write_text("node_modules/\n", encoding="utf-8")
    lock = ["npm", "install", "--package-lock-only", "--offline", "--no-audit", "--no-fund"]
    subprocess.run(lock, cwd=repo, env=world.environment, check=True, capture_output=True)
    git(repo, world.environment, "add", "-A")
    git(repo, world.environment, "commit", "-q", "-m", "Dependencies")
    world.trust(repo)
    return repo


def _add(archive: tarfile.TarFile, name: str, text: str) -> None:
    entry = tarfile.TarInfo(f"package/{name}")
    entry.size = len(text)
    archive.addfile(entry, io.BytesIO(text.encode()))


async def _new(world: World, stream: Stream, repo: Path, title: str) -> tuple[float, Path]:
    """Seconds from `session_created` to `setup_finished`, and where the session is."""
    stream.events.clear()
    request: dict[str, Any] = {"repo": str(repo), "name": title, "agent": "rehearsal"}
    made = await asyncio.to_thread(world.client.new, request | {"start": False})
    ended = await stream.until(lambda ev: _is(ev, "setup_finished", made.id), 1, SECONDS)
    began = next(at for at, ev in stream.events if _is(ev, "session_created", made.id))
    return ended - began, Path(made.worktree)


def _is(event: Event, kind: str, session: str) -> bool:
    if event.get("outcome") == "failed":
        raise RuntimeError(f"a setup failed: {event}")
    return bool(event["type"] == kind and event["session"] == session)


def await_installed_spare(world: World, repo: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        spares = next(r.spares for r in world.client.repos() if r.path == str(repo))
        if any(spare.ready and spare.installed for spare in spares):
            return
        time.sleep(0.05)
    raise TimeoutError("no spare has its dependencies")


def _copy(world: World, session: Path) -> float:
    target = world.place / "copied"
    began = time.monotonic()
    subprocess.run(["cp", "-a", str(session / "node_modules"), str(target)], check=True)
    seconds = time.monotonic() - began
    shutil.rmtree(target)
    return seconds


def require_complete(worktree: Path) -> None:
    found = sum(1 for path in worktree.glob("node_modules/big/lib/*/*.js"))
    if found != FILES:
        raise RuntimeError(f"{found} of {FILES} files are installed")
