"""What is known in the middle of a turn: what it costs about, and how full the window is.

Claude Code tells exact costs only with a result. Until then each model call is reckoned from
the table of prices, so that a budget can hold at the next tool call and a killed process has
not worked for nothing; the result takes the estimates back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import AssistantMessage

from manyhands.agents.prices import estimate
from manyhands.model.events import Compacted, ContextMeasured, UsageRecorded
from manyhands.model.price import Price

BYTES_PER_TOKEN = 4
STEP = 100
"""The window is told of anew once it has moved by a hundredth."""


class Estimates:
    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = prices
        self._last = ""
        self._open: dict[str, UsageRecorded] = {}

    def take(self, message: AssistantMessage) -> list[UsageRecorded]:
        """One record for each model call, when its first piece comes."""
        usage = message.usage or {}
        if not message.message_id or message.message_id == self._last or not tokens_in(usage):
            return []
        self._last = message.message_id
        out = sum(len(str(vars(block))) for block in message.content) // BYTES_PER_TOKEN
        cost = estimate(
            message.model,
            self._prices,
            fresh=_count(usage, "input_tokens"),
            written=_count(usage, "cache_creation_input_tokens"),
            cached=_count(usage, "cache_read_input_tokens"),
            out=out,
        )
        record = UsageRecorded(
            model=message.model,
            tokens_in=tokens_in(usage),
            tokens_out=out,
            cost_usd=round(cost, 9),
            estimated=True,
        )
        self._open[message.model] = _sum(self._open.get(message.model), record)
        return [record]

    def settle(self) -> list[UsageRecorded]:
        """Everything taken back: the exact sum is known now."""
        open, self._open = self._open, {}
        return [_negative(record) for record in open.values()]


class Window:
    def __init__(self) -> None:
        self._used = 0
        self._limit = 0
        self._told = 0
        self._model = ""

    def take(self, message: AssistantMessage) -> list[ContextMeasured]:
        usage = message.usage or {}
        if message.parent_tool_use_id or not tokens_in(usage):
            return []
        self._model = message.model
        self._used = tokens_in(usage) + _count(usage, "output_tokens")
        moved = abs(self._used - self._told)
        return self._measured() if self._limit and moved * STEP >= self._limit else []

    def result(self, model_usage: Mapping[str, Any] | None) -> list[ContextMeasured]:
        known = (model_usage or {}).get(self._model) or {}
        self._limit = int(known.get("contextWindow") or self._limit)
        return self._measured() if self._limit and self._used != self._told else []

    def compacted(self, data: Mapping[str, Any]) -> list[Compacted | ContextMeasured]:
        about = data.get("compact_metadata") or {}
        before, after = int(about.get("pre_tokens") or 0), int(about.get("post_tokens") or 0)
        self._used = after or self._used
        return [Compacted(before=before, after=after), *(self._measured() if self._limit else [])]

    def _measured(self) -> list[ContextMeasured]:
        self._told = self._used
        return [ContextMeasured(used=self._used, limit=self._limit)]


def tokens_in(usage: Mapping[str, Any]) -> int:
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(_count(usage, name) for name in names)


def _count(usage: Mapping[str, Any], name: str) -> int:
    return int(usage.get(name) or 0)


def _sum(before: UsageRecorded | None, more: UsageRecorded) -> UsageRecorded:
    if before is None:
        return more
    return UsageRecorded(
        model=more.model,
        tokens_in=before.tokens_in + more.tokens_in,
        tokens_out=before.tokens_out + more.tokens_out,
        cost_usd=round(before.cost_usd + more.cost_usd, 9),
        estimated=True,
    )


def _negative(record: UsageRecorded) -> UsageRecorded:
    return UsageRecorded(
        model=record.model,
        tokens_in=-record.tokens_in,
        tokens_out=-record.tokens_out,
        cost_usd=-record.cost_usd,
        estimated=True,
    )
