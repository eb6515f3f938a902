"""What a preview adds to an app: for small files, for a large one, and to the hub's events."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psutil

from bench import ingest
from bench.figures import Bar, Measured, at_least, at_most, percentile, spread
from bench.seeded import living_keeper, one_turn, seed
from bench.world import World, open_world, tell, told
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import SessionId, fresh_id

ASSETS = 2000
ROUNDS = 5
CPU_MS = 0.2
SHARE_OF_DIRECT = 0.7


def measure(*, quick: bool = False) -> Measured:
    small, large = _measure_alone(1 if quick else ROUNDS)
    loaded: list[dict[str, Any]] = []
    ports = _free_ports(1)
    beside = partial(_load_beside, ports[0], loaded)
    taken = ingest.measure(quick=quick, past=partial(_with_port, ports[0]), beside=beside)
    return Measured(
        bars=[
            at_most("hub's CPU for a small request", small["cpu_ms"], CPU_MS, "ms"),
            at_least("a large file, share of direct", large["share"], SHARE_OF_DIRECT, "×"),
            *(_beside(bar) for bar in taken["bars"] if "CPU" not in bar["what"]),
        ],
        notes=[
            f"a small request, ms: {small['ms']}; direct {small['direct_ms']}",
            f"a large file, MB/s: {large['mb_s']:.0f}; direct {large['direct_mb_s']:.0f}",
            f"seconds for {ASSETS} assets beside the events: {[r['seconds'] for r in loaded]}",
            *taken["notes"],
        ],
        samples={"small": small, "large": large, "beside": loaded, "ingest": taken["samples"]},
    )


def _measure_alone(rounds: int) -> tuple[dict[str, Any], dict[str, Any]]:
    session, port = SessionId(fresh_id()), _free_ports(1)[0]
    with open_world() as world:
        past = partial(_resting, port)
        seed(world.home, world.place / "repository", [session], past)
        world.start_hub()
        with _browsers(world, session, port) as (direct, through):
            hub = psutil.Process(world.hub_pid)
            for browser in (direct, through):
                _ask(browser, small=ASSETS)  # what the first time needs is not asked about
            before = _cpu(hub)
            ms = [one for _ in range(rounds) for one in _ask(through, small=ASSETS)["ms"]]
            cpu_ms = (_cpu(hub) - before) * 1000 / len(ms)
            direct_ms = _ask(direct, small=ASSETS)["ms"]
            speeds: dict[str, list[float]] = {"direct": [], "through": []}
            for _ in range(rounds + 2):
                for name, browser in (("direct", direct), ("through", through)):
                    found = _ask(browser, big=True)
                    speeds[name].append(found["bytes"] / found["seconds"] / 1e6)
    mb_s, direct_mb_s = (percentile(speeds[name], 0.5) for name in ("through", "direct"))
    large = {"mb_s": mb_s, "direct_mb_s": direct_mb_s, "share": mb_s / direct_mb_s, "all": speeds}
    return {"cpu_ms": cpu_ms, "ms": spread(ms), "direct_ms": spread(direct_ms)}, large


def _beside(bar: Bar) -> Bar:
    """The hub's CPU is no figure of the events alone while it serves previews too."""
    return {**bar, "what": f"2,000 assets load: {bar['what']}"}


def _load_beside(port: int, loaded: list[dict[str, Any]], world: World) -> None:
    """Three times all assets, while the events come in."""
    session = next(s for s in world.client.sessions() if s.ports.get("web") == port)
    with _browsers(world, session.id, port) as (_, through):
        for _ in range(3):
            found = _ask(through, small=ASSETS)
            loaded.append({"seconds": round(found["seconds"], 2), **spread(found["ms"])})


@contextmanager
def _browsers(
    world: World, session: str, port: int
) -> Iterator[tuple[subprocess.Popen[str], subprocess.Popen[str]]]:
    """One that asks the app itself, and one that asks the preview."""
    told(world.module("bench.preview_app", str(port)))
    url = world.client.session(session).previews["web"]
    host = url.removeprefix("http://")
    asked = ((port, f"localhost:{port}"), (int(host.rpartition(":")[2]), host))
    direct, through = (world.module("bench.preview_browser", str(p), h) for p, h in asked)
    told(direct)
    told(through)
    yield direct, through


def _ask(browser: subprocess.Popen[str], **wanted: Any) -> dict[str, Any]:
    tell(browser, **wanted)
    return told(browser)


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _resting(port: int, session: SessionId) -> list[e.AnyEvent]:
    return [*one_turn(session), e.PortsLeased(session=session, at=now(), ports={"web": port})]


def _with_port(port: int, session: SessionId) -> list[e.AnyEvent]:
    """The last that is seeded has it."""
    return [*living_keeper(session), e.PortsLeased(session=session, at=now(), ports={"web": port})]


def _free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports
