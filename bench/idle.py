"""What the hub costs while nothing happens, and a keeper besides its agent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psutil

from bench.figures import Measured, at_most
from bench.stream import Event, Stream, open_stream
from bench.world import World, open_world

SESSIONS = 15
RSS_MB = 90.0
CPU_PERCENT = 0.5
KEEPER_MB = 20.0
CONFIG = "[limits]\nworking = 15\nlinger_seconds = 1.0\n"
MB = 1024 * 1024


def measure(*, quick: bool = False) -> Measured:
    with open_world(CONFIG) as world:
        world.start_model()
        world.start_hub()
        world.repository("repository")
        return asyncio.run(_measure(world, seconds=20.0 if quick else 60.0))


async def _measure(world: World, seconds: float) -> Measured:
    async with open_stream(world.home) as stream:
        sessions = await _play_one_turn_each(world, stream)
        await stream.until(_is("keeper_exited"), SESSIONS, 60)
        await stream.look(sessions[0])
        await stream.until(_is("keeper_started"), SESSIONS + 1, 30)
        hub, cpu = await _resting(world, seconds)
        looked = world.keeper_of(sessions[0]).memory_full_info().uss / MB
        working, worked = await _working_keeper(world, stream)
    samples = {
        "hub": hub,
        "cpu_percent": cpu,
        "seconds": seconds,
        "keeper_looked_at_uss_mb": looked,
        "keeper_working_uss_mb": working,
        "processes": worked,
    }
    return Measured(
        bars=[
            at_most(f"hub, {SESSIONS} idle sessions: RSS", hub["rss"], RSS_MB, "MB"),
            at_most(
                f"hub, {SESSIONS} idle sessions: CPU over {seconds:.0f} s", cpu, CPU_PERCENT, "%"
            ),
            at_most("keeper of a session looked at: unique", looked, KEEPER_MB, "MB"),
            at_most("keeper besides its working agent: unique", working, KEEPER_MB, "MB"),
        ],
        notes=[
            "every session had a turn; one client listens and has one session on its screen",
            *(
                f"{about['what']}: {about['uss']:.1f} MB unique, {about['rss']:.1f} MB RSS"
                for about in worked
            ),
        ],
        samples=samples,
    )


async def _play_one_turn_each(world: World, stream: Stream) -> list[str]:
    sessions = await asyncio.to_thread(_new_sessions, world)
    await stream.until(_is("turn_finished"), SESSIONS, 180)
    return sessions


def _new_sessions(world: World) -> list[str]:
    steps: list[dict[str, object]] = [
        {"tool": "Write", "input": {"file_path": "NOTES.md", "content": "One line.\n"}},
        {"text": "Written."},
    ]
    requests = [_request(world, f"Rest {n}", steps) for n in range(SESSIONS)]
    with ThreadPoolExecutor(SESSIONS) as pool:
        return [session.id for session in pool.map(world.client.new, requests)]


def _request(world: World, name: str, steps: list[dict[str, object]]) -> dict[str, object]:
    return {
        "repo": str(world.place / "repository"),
        "name": name,
        "text": f"{name}. <<SCRIPT {json.dumps(steps)} SCRIPT>>",
        "agent": "rehearsal",
        "mode": "auto",
    }


async def _resting(world: World, seconds: float) -> tuple[dict[str, float], float]:
    hub = psutil.Process(world.hub_pid)
    await asyncio.sleep(3)
    before = hub.cpu_times()
    await asyncio.sleep(seconds)
    after = hub.cpu_times()
    used = after.user + after.system - before.user - before.system
    memory = hub.memory_full_info()
    about = {"rss": memory.rss / MB, "uss": memory.uss / MB, "threads": hub.num_threads()}
    return about, 100 * used / seconds


async def _working_keeper(world: World, stream: Stream) -> tuple[float, list[dict[str, object]]]:
    """The keeper's unique memory in the middle of a turn, and every process of the world then."""
    steps: list[dict[str, object]] = [
        {"tool": "Bash", "input": {"command": "ls src | head -3"}},
        {"text": "Thinking about it.", "delay": 8},
    ]
    request = _request(world, "Work on", steps)
    session = await asyncio.to_thread(world.client.new, request)
    await stream.until(lambda ev: _is("tool_finished")(ev) and ev["session"] == session.id, 1, 60)
    keeper = world.keeper_of(session.id)
    everyone = [about for process in world.processes() if (about := _about(process))]
    return keeper.memory_full_info().uss / MB, everyone


def _about(process: psutil.Process) -> dict[str, object]:
    """Nothing, where it was a passing one."""
    try:
        memory = process.memory_full_info()
        words = [word.rsplit("/", 1)[-1] for word in process.cmdline()[:4]]
    except psutil.NoSuchProcess:
        return {}
    return {"what": " ".join(words), "uss": memory.uss / MB, "rss": memory.rss / MB}


def _is(kind: str) -> Callable[[Event], bool]:
    return lambda event: event.get("type") == kind
