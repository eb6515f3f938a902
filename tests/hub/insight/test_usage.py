"""Usage of real agents, and what is left of it after the hub was killed."""

from __future__ import annotations

import csv
import io
import subprocess
import sys

import apsw

from manyhands.model.clock import local_day, now
from manyhands.store.log import IS_USAGE
from manyhands.store.schema import STEPS
from tests.support.driver import RunningHub, script


def cli(hub: RunningHub, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *words],
        env=hub.environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


def test_what_a_turn_used_is_told_before_and_after_a_kill(hub: RunningHub) -> None:
    used, today = {"in": 1200, "out": 345}, local_day(now())
    session = hub.new(script({"text": "Done.", "usage": used}), name="=Counted")["id"]
    hub.wait_idle(session)
    shown = hub.show(session)
    (cell,) = [cell for cell in hub.get("/api/usage") if cell["session"] == session]
    assert cell["turns"] == 1
    assert cell["tokens_in"] == shown["tokens"]["in"] >= 1200
    assert cell["tokens_out"] == shown["tokens"]["out"] >= 345
    assert cell["cost_usd"] == round(shown["cost_usd"], 6) > 0
    assert cell["working_seconds"] > 0
    assert cell["agent"] == "rehearsal"
    assert cell["model"]
    assert cell["day"] in (today, local_day(now()))
    hub.restart()
    assert [c for c in hub.get("/api/usage") if c["session"] == session] == [cell]
    assert hub.get("/api/usage", since="2999-01-01") == []

    rows = list(csv.DictReader(io.StringIO(cli(hub, "usage", "--csv"))))
    (row,) = [row for row in rows if row["session"] == session]
    assert row["title"] == "'=Counted"
    assert float(row["cost_usd"]) == cell["cost_usd"]
    table = cli(hub, "usage", "--by", "agent").splitlines()
    assert table[0].split()[:2] == ["AGENT", "TURNS"]
    assert table[1].split()[0] == "rehearsal"
    assert table[-1].split()[0] == "total"


def test_usage_is_found_by_its_index_not_by_reading_the_log() -> None:
    db = apsw.Connection(":memory:")
    for step in STEPS:
        db.execute(step)
    query = f"EXPLAIN QUERY PLAN SELECT body FROM events WHERE {IS_USAGE} ORDER BY seq"
    assert "events_of_usage" in str(list(db.execute(query)))
