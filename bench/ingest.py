"""Ten thousand events a second: from fifty keepers' sockets, through the store, to five readers.

The keepers are played by two processes that speak the keepers' side of the protocol and gather
events as keepers do; the hub adopts them as it would after a crash of its own. At the end the
hub is killed without warning: what readers have seen must be in the file.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import apsw
import psutil

from bench.figures import Measured, at_least, at_most
from bench.ingest_bare import bare_microseconds
from bench.seeded import Past, living_keeper, seed
from bench.world import World, open_world, tell, told
from manyhands.model.ids import SessionId, fresh_id

KEEPERS = 50
GENERATORS = 2
RATE = 10_000
READERS = 5
P99_MS = 80.0
SECONDS = 12.0
BARES = 6.0
"""What the hub's CPU for an event may be, in units of the bare loop's."""


def measure(
    *,
    quick: bool = False,
    past: Past = living_keeper,
    beside: Callable[[World], None] = lambda world: None,
) -> Measured:
    """`beside`: what else happens while the events come."""
    sessions = [SessionId(fresh_id()) for _ in range(KEEPERS)]
    with open_world() as world:
        seed(world.home, world.place / "repository", sessions, past)
        generators = _start_generators(world, sessions)
        world.start_hub()
        readers = world.module("bench.ingest_readers", str(READERS))
        for process in (*generators, readers):
            told(process)
        hub = psutil.Process(world.hub_pid)
        before = hub.cpu_times()
        for process in generators:
            tell(process, seconds=SECONDS if quick else 2 * SECONDS)
        beside(world)
        sent = [told(process) for process in generators]
        total = sum(s["sent"] for s in sent)
        tell(readers, expect=total)
        seen = told(readers)
        after = hub.cpu_times()
        memory = hub.memory_info().rss
        hub.kill()
        hub.wait(10)
        stored = _stored(world, sessions)
        bare = bare_microseconds(world.place, sessions)
    user, system = after.user - before.user, after.system - before.system
    hub_figures = {
        "user_us": user / total * 1e6,
        "system_us": system / total * 1e6,
        "bare_loop_us": bare,
        "cores": (user + system) / sent[0]["seconds"],
        "rss_mb": memory / 2**20,
    }
    return _judge(sent, seen, stored, hub_figures)


def _start_generators(world: World, sessions: list[SessionId]) -> list[subprocess.Popen[str]]:
    started = []
    for number in range(GENERATORS):
        process = world.module("bench.ingest_keepers")
        tell(process, sessions=sessions[number::GENERATORS], rate=RATE / KEEPERS)
        told(process)
        started.append(process)
    return started


def _stored(world: World, sessions: list[SessionId]) -> dict[str, int]:
    """What a reader of the file finds after the hub's death."""
    db = apsw.Connection(str(world.home.store), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        of_type = "FROM events WHERE type = 'agent_message'"
        return {
            "events": int(db.execute(f"SELECT count(*) {of_type}").get),
            "last_seq": int(db.execute("SELECT max(seq) FROM events").get),
            "acked": int(db.execute("SELECT sum(upto) FROM acks").get),
            "different": int(db.execute(f"SELECT count(DISTINCT body) {of_type}").get),
        }
    finally:
        db.close()


def _judge(
    sent: list[dict[str, Any]],
    seen: dict[str, Any],
    stored: dict[str, int],
    hub: dict[str, float],
) -> Measured:
    total = sum(s["sent"] for s in sent)
    seconds = max(s["seconds"] for s in sent)
    missing = sum(max(0, total - r["events"]) for r in seen["readers"])
    doubled = sum(r["doubled"] for r in seen["readers"])
    unstored = max(0, total - stored["different"]) + max(0, seen["last_seq"] - stored["last_seq"])
    unstored += stored["events"] - stored["different"]
    frames = sum(s["frames"] for s in sent)
    late = max(s["late_ms"] for s in sent)
    each = hub["user_us"] + hub["system_us"]
    return Measured(
        bars=[
            at_least("events offered and taken a second", total / seconds, RATE * 0.99, "/s"),
            at_most(f"events lost on the way to {READERS} readers", missing, 0),
            at_most("events doubled or out of order", doubled, 0),
            at_most("events seen but not stored once after kill -9", unstored, 0),
            at_most("sent by the keeper → at the reader, p99", seen["sent"]["p99"], P99_MS, "ms"),
            at_most(
                "hub's CPU for an event, in bare loops", each / hub["bare_loop_us"], BARES, "×"
            ),
        ],
        notes=[
            f"ms sent → reader {seen['sent']}, made → reader {seen['made']}",
            f"p99 of each second: {seen['p99_by_second']}",
            f"{total} events of {sent[0]['bytes']} bytes in {seconds:.1f} s, {KEEPERS} sockets",
            f"{frames} frames in, {seen['frames']} out; sent late by at most {late:.0f} ms",
            f"hub: {hub['cores']:.2f} cores, {hub['rss_mb']:.0f} MB RSS",
            f"CPU for an event: {hub['user_us']:.1f} µs user, {hub['system_us']:.1f} µs system",
            f"bare loop of decode, insert, encode: {hub['bare_loop_us']:.1f} µs",
        ],
        samples={"sent": sent, "seen": seen, "stored": stored, "hub": hub},
    )
