"""What a conversation has cost since the last record, from Claude Code's running totals.

The totals go on over a resume from where the program last saved them, and start from nothing
if it was killed before it could. The transcript says which: its last `cost-state` line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from manyhands.agents.claude_transcript import find_transcript
from manyhands.model.events import UsageRecorded

_MARK = b'"type":"cost-state"'
_IN = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")


@dataclass(frozen=True)
class Total:
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0


class Meter:
    def __init__(self, totals: Mapping[str, Total]) -> None:
        self._totals = dict(totals)

    def read(self, model_usage: Mapping[str, Any] | None) -> list[UsageRecorded]:
        """One record for each model that was used since the last reading."""
        records = []
        for model, now in parse_totals(model_usage or {}).items():
            before = self._totals.get(model, Total())
            self._totals[model] = now
            record = UsageRecorded(
                model=model,
                tokens_in=max(0, now.tokens_in - before.tokens_in),
                tokens_out=max(0, now.tokens_out - before.tokens_out),
                cost_usd=max(0.0, round(now.cost_usd - before.cost_usd, 9)),
            )
            if record.tokens_in or record.tokens_out or record.cost_usd:
                records.append(record)
        return records


def parse_totals(model_usage: Mapping[str, Any]) -> dict[str, Total]:
    return {
        model: Total(
            sum(int(usage.get(name, 0)) for name in _IN),
            int(usage.get("outputTokens", 0)),
            float(usage.get("costUSD", 0.0)),
        )
        for model, usage in model_usage.items()
    }


def load_meter(config: Path, session: str) -> Meter:
    """A meter that starts where a resumed program will."""
    last = b""
    if transcript := find_transcript(config, session):
        with transcript.open("rb") as lines:
            for line in lines:
                if _MARK in line[:200]:
                    last = line
    try:
        saved = msgspec.json.decode(last, type=dict[str, Any]) if last else {}
    except msgspec.DecodeError:
        saved = {}
    return Meter(parse_totals(saved.get("modelUsage", {})))
