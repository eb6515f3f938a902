"""What a benchmark finds: figures against their bars, and the raw samples behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypedDict


class Bar(TypedDict):
    """One figure and what it must be; `of_bar` is 1 at the bar and less is better."""

    what: str
    measured: float
    unit: str
    bar: str
    of_bar: float
    ok: bool


class Measured(TypedDict):
    bars: list[Bar]
    notes: list[str]
    samples: dict[str, Any]


def at_most(what: str, measured: float, most: float, unit: str = "") -> Bar:
    of_bar = measured / most if most else float(measured > 0) * 2
    return _bar(what, measured, unit, f"≤ {most:g}", of_bar, measured <= most)


def at_least(what: str, measured: float, least: float, unit: str = "") -> Bar:
    of_bar = least / measured if measured else math.inf
    return _bar(what, measured, unit, f"≥ {least:g}", of_bar, measured >= least)


def _bar(what: str, measured: float, unit: str, bar: str, of_bar: float, ok: bool) -> Bar:
    return Bar(
        what=what,
        measured=round(measured, 4),
        unit=unit,
        bar=f"{bar} {unit}".strip(),
        of_bar=round(of_bar, 3) if math.isfinite(of_bar) else 999.0,
        ok=ok,
    )


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that at least `share` of all do not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def spread(samples: Sequence[float]) -> dict[str, float]:
    shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
    return {name: round(percentile(samples, share), 4) for name, share in shares.items()}
