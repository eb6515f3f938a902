"""What resting sessions cost: no process each, and a list that is still quick."""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from bench.figures import Measured, at_most
from bench.seeded import one_turn, seed
from bench.start import interleaved
from bench.world import BIN, World, open_world
from manyhands.model.ids import SessionId, fresh_id

MADE = 100
TOTAL = 1000
LS_BAR = 3.0
LOOKS = 10
LOOK_SECONDS = 0.3


def measure(*, quick: bool = False) -> Measured:
    with open_world("[limits]\nworking = 4\n") as world:
        idle_hub = _processes_with_no_session(world)
        _make_real_ones(world)
        with_hundred = _lasting(world)
        world.stop_hub()
        rest = [SessionId(fresh_id()) for _ in range(TOTAL - MADE)]
        seed(world.home, world.place / "repository", rest, one_turn)
        world.start_hub()
        _require_all_idle(world)
        with_thousand = _lasting(world)
        samples = interleaved(
            world,
            {
                "version": [str(BIN / "manyhands"), "--version"],
                "ls": [str(BIN / "manyhands"), "ls", "--json"],
            },
            runs=7 if quick else 21,
        )
    version, ls = (statistics.median(samples[name]) for name in ("version", "ls"))
    return Measured(
        bars=[
            at_most(
                f"processes for {MADE} idle sessions made by `new`", with_hundred - idle_hub, 0
            ),
            at_most(f"processes for {TOTAL} idle sessions", with_thousand - idle_hub, 0),
            at_most(f"`ls --json` of {TOTAL} ÷ `--version`", ls / version, LS_BAR, "×"),
        ],
        notes=[
            f"medians: ls {ls * 1000:.0f} ms, --version {version * 1000:.0f} ms",
            f"with no session: {idle_hub} processes, hub and nursery",
            f"{MADE} sessions were made by the hub, {TOTAL - MADE} written into its store",
        ],
        samples=samples,
    )


def _processes_with_no_session(world: World) -> int:
    """Counted once the hub has forked for the first time: the nursery is then there for sure."""
    world.start_hub()
    world.repository("repository", files=20)
    return _lasting(world)


def _lasting(world: World) -> int:
    """Processes that stay; a git command of the moment is no session's cost."""
    stay = set(world.processes())
    for _ in range(LOOKS):
        time.sleep(LOOK_SECONDS)
        stay &= set(world.processes())
    return len(stay)


def _make_real_ones(world: World) -> None:
    repo = str(world.place / "repository")
    requests = [{"repo": repo, "name": f"Idle {n}", "start": False} for n in range(MADE)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(world.client.new, requests))


def _require_all_idle(world: World) -> None:
    said = subprocess.run(
        [str(BIN / "manyhands"), "ls", "--json"],
        env=world.environment,
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout
    statuses = [session["status"] for session in json.loads(said)]
    if statuses != ["idle"] * TOTAL:
        raise RuntimeError(f"{len(statuses)} sessions, statuses {sorted(set(statuses))}")
