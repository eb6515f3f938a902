"""Terminals: a key's echo through hub and keeper while another terminal floods, how fast a flood is
taken beside a plain blocking read of the same, and what fifty idle shells cost."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import time
from typing import Any

import msgspec
import psutil
from websockets.asyncio.client import connect

from bench.figures import Measured, at_least, at_most, percentile, spread
from bench.world import World, in_memory, open_world
from manyhands.client.address import require_address, require_token
from manyhands.contract.terminals import TerminalView

ECHO_MS, FLOOD_SHARE, IDLE_MB = 30.0, 0.8, 1.0
SHELLS = 50
FLOOD = """
import os, sys
line = b"y" * 79 + b"\\n"
left = int(sys.argv[1])
while left > 0: left -= os.write(1, line * 50)
"""
ENDLESS = str(2**50)
CONFIG = '[box]\nlevel = "none"\n'
SECONDS = 120.0


def measure(*, quick: bool = False) -> Measured:
    with open_world(CONFIG, within=in_memory()) as world:
        world.start_model()
        world.start_hub()
        repo = world.repository("repo", 20)
        request = {"text": "Nothing yet", "repo": str(repo), "start": False}
        session = str(world.client.new(request).id)
        idle = _idle(world, session)
        size = (60 if quick else 200) * 1_000_000
        floods = [_flood(world, session, size) for _ in range(2 if quick else 5)]
        bare = [_bare_flood(world, size) for _ in range(2 if quick else 5)]
        echoes = asyncio.run(_echoes(world, session, 200 if quick else 1000))
        world.stop_hub()
    share = max(floods) / max(bare)
    return Measured(
        bars=[
            at_most("a key's echo beside a flood, p99", percentile(echoes, 0.99), ECHO_MS, "ms"),
            at_least("a flood, of a blocking read", share, FLOOD_SHARE, "×"),
            at_most("an idle terminal above its shell", idle, IDLE_MB, "MB"),
        ],
        notes=[f"flood {max(floods):.1f} MB/s, blocking read {max(bare):.1f} MB/s"],
        samples={"echo_ms": spread(echoes), "flood_mb_s": floods, "bare_mb_s": bare},
    )


def _open(world: World, session: str, *command: str) -> TerminalView:
    path = f"/api/sessions/{session}/terminals"
    made = world.client.send(path, {"command": command, "rows": 24, "columns": 80})
    return msgspec.json.decode(made, type=TerminalView)


def _close(world: World, session: str, name: str) -> None:
    world.client.send(f"/api/sessions/{session}/terminals/{name}/close")


def _idle(world: World, session: str) -> float:
    """What the keeper grows by, and whatever else belongs to a terminal but is not its shell."""
    first = _open(world, session, "/bin/sh")
    keeper = world.keeper_of(session)
    before = _own_mb(keeper) - _own_mb(psutil.Process(first.pid))
    names = [_open(world, session, "/bin/sh") for _ in range(SHELLS)]
    shells = sum(_own_mb(psutil.Process(one.pid)) for one in (first, *names))
    found = sum(map(_own_mb, [keeper, *keeper.children(recursive=True)])) - shells
    for one in (first, *names):
        _close(world, session, one.name)
    return (found - before) / SHELLS


def _own_mb(process: psutil.Process) -> float:
    return float(process.memory_full_info().uss) / 1e6


def _flood(world: World, session: str, size: int) -> float:
    """MB/s, by the program's own life in a terminal that nobody looks at."""
    opened = _open(world, session, sys.executable, "-IS", "-c", FLOOD, str(size))
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        found = world.client.fetch(f"/api/sessions/{session}/terminals")
        views = msgspec.json.decode(found, type=list[TerminalView])
        [view] = [one for one in views if one.name == opened.name]
        if view.seconds is not None:
            _close(world, session, opened.name)
            return size / 1e6 / view.seconds
        time.sleep(0.2)
    raise TimeoutError("the flood does not end")


def _bare_flood(world: World, size: int) -> float:
    """MB/s of a loop that reads and does nothing else."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    began = time.perf_counter()
    argv = [sys.executable, "-IS", "-c", FLOOD, str(size)]
    child = subprocess.Popen(argv, stdout=follower, env=world.environment)
    os.close(follower)
    try:
        while os.read(leader, 65536):
            pass
    except OSError:
        pass  # nobody writes any more
    child.wait()
    seconds = time.perf_counter() - began
    os.close(leader)
    return size / 1e6 / seconds


async def _echoes(world: World, session: str, count: int) -> list[float]:
    """Milliseconds from a key's leaving to its echo's coming back."""
    flood = _open(world, session, sys.executable, "-IS", "-c", FLOOD, ENDLESS)
    echo = _open(world, session, "cat")
    async with _viewer(world, session, flood.name) as flooded:
        drains = asyncio.ensure_future(_drain(flooded))
        async with _viewer(world, session, echo.name) as typed:
            found = [await _echo(typed, number) for number in range(count)]
        drains.cancel()
    for one in (flood, echo):
        _close(world, session, one.name)
    return found


def _viewer(world: World, session: str, name: str) -> Any:
    port = require_address(world.home).port
    path = f"/api/sessions/{session}/terminals/{name}/socket?rows=24&columns=80"
    bearer = {"Authorization": f"Bearer {require_token(world.home)}"}
    uri = f"ws://127.0.0.1:{port}{path}"
    return connect(uri, additional_headers=bearer, max_size=None, compression=None, proxy=None)


async def _drain(socket: Any) -> None:
    """As a page that draws about a megabyte a second."""
    async for message in socket:
        if isinstance(message, bytes):
            await asyncio.sleep(len(message) / 1e6)
            await socket.send(json.dumps({"type": "ack", "bytes": len(message)}))


async def _echo(socket: Any, number: int) -> float:
    key = b"%c" % (ord("a") + number % 26)
    began = time.perf_counter()
    await socket.send(key)
    async for message in socket:
        if not isinstance(message, bytes):
            continue
        await socket.send(json.dumps({"type": "ack", "bytes": len(message)}))
        if key in message:
            break
    taken = (time.perf_counter() - began) * 1000
    await asyncio.sleep(0.01)
    return taken
