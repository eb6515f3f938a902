"""What a conversation costs and how full its window is, as Claude Code tells it.

Its running totals go on over a resume from where the program last saved them, and start from
nothing if it was killed before it could. The transcript says which: its last `cost-state` line.

Exact costs come only with a result. Until then each model call is reckoned from the table of
prices, so that a budget can hold at the next tool call and a killed process has not worked for
nothing; the result takes the estimates back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from manyhands.agents.claude.history import find_transcript
from manyhands.agents.claude.sdk import AssistantMessage
from manyhands.agents.usage import Amounts, ContextWindow, estimate
from manyhands.model.agent.price import Price
from manyhands.model.events import Compacted, ContextMeasured, UsageRecorded

_MARK = b'"type":"cost-state"'
_IN = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
BYTES_PER_TOKEN = 4


class ClaudeMeter:
    def __init__(self, totals: Mapping[str, Amounts]) -> None:
        self._totals = dict(totals)

    def read(self, model_usage: Mapping[str, Any] | None) -> list[UsageRecorded]:
        """One record for each model that was used since the last reading."""
        before, now = self._totals, parse_totals(model_usage or {})
        self._totals = {**before, **now}
        spent = {model: total.since(before.get(model, Amounts())) for model, total in now.items()}
        return [one.record(model) for model, one in spent.items() if one != Amounts()]


def parse_totals(model_usage: Mapping[str, Any]) -> dict[str, Amounts]:
    return {
        model: Amounts(
            sum(int(usage.get(name, 0)) for name in _IN),
            int(usage.get("outputTokens", 0)),
            float(usage.get("costUSD", 0.0)),
        )
        for model, usage in model_usage.items()
    }


def load_meter(config: Path, session: str) -> ClaudeMeter:
    """A meter that starts where a resumed program will."""
    return ClaudeMeter(parse_totals(saved_totals(config, session)))


def saved_totals(config: Path, session: str) -> dict[str, Any]:
    """By model, as the program last saved them."""
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
    found = saved.get("modelUsage")
    return found if isinstance(found, dict) else {}


class Estimates:
    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = prices
        self._last = ""
        self._open: dict[str, Amounts] = {}

    def take(self, message: AssistantMessage) -> list[UsageRecorded]:
        """One record for each model call, when its first piece comes."""
        usage, model = message.usage or {}, message.model
        if not message.message_id or message.message_id == self._last or not tokens_in(usage):
            return []
        self._last = message.message_id
        out = sum(len(str(vars(block))) for block in message.content) // BYTES_PER_TOKEN
        cost = estimate(
            model,
            self._prices,
            fresh=_count(usage, "input_tokens"),
            written=_count(usage, "cache_creation_input_tokens"),
            cached=_count(usage, "cache_read_input_tokens"),
            out=out,
        )
        spent = Amounts(tokens_in(usage), out, cost)
        self._open[model] = self._open.get(model, Amounts()) + spent
        return [spent.record(model, estimated=True)]

    def settle(self) -> list[UsageRecorded]:
        """Everything taken back: the exact sum is known now."""
        taken_back, self._open = self._open, {}
        return [(-spent).record(model, estimated=True) for model, spent in taken_back.items()]


class ClaudeWindow(ContextWindow):
    """Its size is told only with a result."""

    def __init__(self) -> None:
        super().__init__()
        self._model = ""

    def message(self, message: AssistantMessage) -> list[ContextMeasured]:
        usage = message.usage or {}
        if message.parent_tool_use_id or not tokens_in(usage):
            return []
        self._model = message.model
        return self.take(tokens_in(usage) + _count(usage, "output_tokens"), self._limit)

    def result(self, model_usage: Mapping[str, Any] | None) -> list[ContextMeasured]:
        known = (model_usage or {}).get(self._model) or {}
        self._limit = int(known.get("contextWindow") or self._limit)
        return self.rest()

    def compacted(self, data: Mapping[str, Any]) -> list[Compacted | ContextMeasured]:
        about = data.get("compact_metadata") or {}
        before, after = int(about.get("pre_tokens") or 0), int(about.get("post_tokens") or 0)
        self._used, self._told = after or self._used, -1
        return [Compacted(before=before, after=after), *self.rest()]


def tokens_in(usage: Mapping[str, Any]) -> int:
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(_count(usage, name) for name in names)


def _count(usage: Mapping[str, Any], name: str) -> int:
    return int(usage.get(name) or 0)
