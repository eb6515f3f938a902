"""What a dialogue has cost since the last record.

Agents count from the beginning of a session, and go on counting after a resume. So the last
known sums are kept on disk by session: the next agent process starts from them.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from acp.schema import Usage, UsageUpdate
from msgspec.structs import replace

from manyhands.agents.usage import Amounts
from manyhands.model.events import UsageRecorded


class AcpMeter:
    """`model` is what the next record is booked on; `path` is where the sums are kept."""

    def __init__(self, path: Path | None, *, per_turn: bool) -> None:
        self.model = ""
        self._path = path
        self._per_turn = per_turn
        self._sums = _load(path)

    def read_cost(self, update: UsageUpdate) -> UsageRecorded | None:
        cost = update.cost
        if cost is None or cost.currency != "USD" or cost.amount <= self._sums.cost_usd:
            return None
        return self._book(replace(self._sums, cost_usd=cost.amount))

    def read_tokens(self, usage: Usage | None) -> UsageRecorded | None:
        """`usage` as told at the end of a turn."""
        if usage is None:
            return None
        tokens_in = usage.input_tokens
        tokens_in += (usage.cached_read_tokens or 0) + (usage.cached_write_tokens or 0)
        if not self._per_turn:
            return self._book(Amounts(tokens_in, usage.output_tokens, self._sums.cost_usd))
        spent = Amounts(tokens_in, usage.output_tokens)
        return spent.record(self.model) if spent != Amounts() else None

    def _book(self, now: Amounts) -> UsageRecorded | None:
        spent, self._sums = now.since(self._sums), now
        if self._path is not None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.write_bytes(msgspec.json.encode(self._sums))
        return spent.record(self.model) if spent != Amounts() else None


def _load(path: Path | None) -> Amounts:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Amounts) if path else Amounts()
    except (OSError, msgspec.MsgspecError):
        return Amounts()
