"""What a dialogue has cost since the last record.

Agents count from the beginning of a session, and go on counting after a resume. So the last
known sums are kept on disk by session: the next agent process starts from them.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from acp.schema import Usage, UsageUpdate

from manyhands.model.events import UsageRecorded


class Sums(msgspec.Struct):
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0


class Meter:
    """`model` is what the next record is booked on; `path` is where the sums are kept."""

    def __init__(self, path: Path | None, *, per_turn: bool) -> None:
        self.model = ""
        self._path = path
        self._per_turn = per_turn
        self._sums = _load(path)

    def read_cost(self, update: UsageUpdate) -> UsageRecorded | None:
        cost = update.cost
        if cost is None or cost.currency != "USD":
            return None
        spent = round(cost.amount - self._sums.cost_usd, 9)
        if spent <= 0:
            return None
        self._sums.cost_usd = cost.amount
        self._save()
        return UsageRecorded(model=self.model, cost_usd=spent)

    def read_tokens(self, usage: Usage | None) -> UsageRecorded | None:
        """`usage` as told at the end of a turn."""
        if usage is None:
            return None
        cached = (usage.cached_read_tokens or 0) + (usage.cached_write_tokens or 0)
        now = Sums(usage.input_tokens + cached, usage.output_tokens)
        used_in, used_out = now.tokens_in, now.tokens_out
        if not self._per_turn:
            used_in = max(0, used_in - self._sums.tokens_in)
            used_out = max(0, used_out - self._sums.tokens_out)
            self._sums.tokens_in, self._sums.tokens_out = now.tokens_in, now.tokens_out
            self._save()
        if not used_in and not used_out:
            return None
        return UsageRecorded(model=self.model, tokens_in=used_in, tokens_out=used_out)

    def _save(self) -> None:
        if self._path is not None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.write_bytes(msgspec.json.encode(self._sums))


def _load(path: Path | None) -> Sums:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Sums) if path else Sums()
    except (OSError, msgspec.MsgspecError):
        return Sums()
