"""The same frames in a bare loop: decode, insert into SQLite, encode for the readers; no hub.

It bounds from below what taking events can cost in this language on this machine, so a hub's
cost in units of it says more than its share of a core.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from bench.ingest_keepers import Keeper
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.clock import now
from manyhands.model.ids import SessionId

AT_ONCE = 200
"""Frames to a transaction: twenty milliseconds of ten thousand a second."""
FRAMES = 50_000
SCHEMA = """
    CREATE TABLE events(seq INTEGER PRIMARY KEY, session TEXT, type TEXT, at TEXT, body BLOB);
    CREATE INDEX events_of_session ON events(session);
"""


def bare_microseconds(place: Path, sessions: Sequence[SessionId]) -> float:
    """Of the processor, for one event."""
    keepers = [Keeper(session, 1.0) for session in sessions]
    frames = [_frame(keepers[n % len(keepers)]) for n in range(FRAMES)]
    with closing(sqlite3.connect(place / "bare.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = wal")
        db.execute("PRAGMA synchronous = normal")
        db.executescript(SCHEMA)
        began = time.process_time()
        for start in range(0, FRAMES, AT_ONCE):
            _take(db, start, frames[start : start + AT_ONCE])
        return (time.process_time() - began) / FRAMES * 1e6


def _frame(keeper: Keeper) -> bytes:
    keeper.sent += 1
    event = keeper.event(now(), time.monotonic(), time.monotonic())
    return wire.frame(wire.Items(first=keeper.sent, events=(msgspec.Raw(event),)))[4:]


_frames = msgspec.json.Decoder(wire.AnyFromKeeper)
_events: msgspec.json.Decoder[e.AnyEvent] = msgspec.json.Decoder(e.AnyEvent)
_encoder = msgspec.json.Encoder()


def _take(db: sqlite3.Connection, seq: int, frames: Sequence[bytes]) -> bytes:
    rows, bodies = [], []
    for frame in frames:
        items = _frames.decode(frame)
        assert isinstance(items, wire.Items)
        for raw in items.events:
            seq += 1
            event = _events.decode(raw)
            rows.append((seq, event.session, "agent_message", event.at, _encoder.encode(event)))
            bodies.append(_encoder.encode(msgspec.structs.replace(event, seq=seq)))
    db.execute("BEGIN IMMEDIATE")
    db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
    db.execute("COMMIT")
    return b"[" + b",".join(bodies) + b"]"
