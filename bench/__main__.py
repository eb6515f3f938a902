"""``python -m bench [--quick] [name …]``: measure, print the table, write JSON, judge."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import tempfile
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.figures import Bar, Measured
from bench.machine import machine, versions

NAMES = (
    *("start", "thousand", "idle", "ingest", "live_diff"),
    *("parallel", "creation", "dependencies", "checkpoint", "radar", "train", "box"),
    "terminals",
    *("page_conversation", "page_diff", "page_stream"),
)
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of: {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    _forget_the_person()
    names = options.names or NAMES
    results = {name: _run(name, quick=options.quick) for name in names}
    print(_table(results))
    return (
        0 if all(r is not None and all(b["ok"] for b in r["bars"]) for r in results.values()) else 1
    )


def _forget_the_person() -> None:
    """Keys, logins and settings of whoever runs this must not reach an agent."""
    kept = {"PATH", "LANG", "TMPDIR", "TERM", "BENCH_KEEP"}
    for name in set(os.environ) - kept:
        del os.environ[name]
    os.environ["HOME"] = tempfile.gettempdir()


def _run(name: str, *, quick: bool) -> Measured | None:
    print(f"== {name}", file=sys.stderr, flush=True)
    about = {"name": name, "quick": quick, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    where = machine()
    began = time.monotonic()
    try:
        found: Measured = importlib.import_module(f"bench.{name}").measure(quick=quick)
    except Exception:  # noqa: BLE001 - the others still run, and the exit code tells
        traceback.print_exc()
        return None
    seconds = round(time.monotonic() - began, 1)
    print(_table({name: found}), file=sys.stderr, flush=True)
    whole = {**about, "seconds": seconds, "machine": where, "versions": versions(dict(os.environ))}
    _write(name, {**whole, **found})
    return found


def _write(name: str, result: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _table(results: dict[str, Measured | None]) -> str:
    lines = [f"{'benchmark':<10} {'what':<58} {'measured':>12} {'bar':>12} {'of bar':>7}  "]
    for name, result in results.items():
        if result is None:
            lines.append(f"{name:<10} could not be measured; see above{'FAIL':>70}")
            continue
        lines += [_row(name, bar) for bar in result["bars"]]
        lines += [f"{'':<10} · {note}" for note in result["notes"]]
    return "\n".join(lines)


def _row(name: str, bar: Bar) -> str:
    measured = f"{bar['measured']:.4g} {bar['unit']}".strip()
    verdict = "pass" if bar["ok"] else "FAIL"
    head = f"{name:<10} {bar['what']:<58} {measured:>12} {bar['bar']:>12}"
    return f"{head} {bar['of_bar']:>6.2f}×  {verdict}"


if __name__ == "__main__":
    sys.exit(main())
