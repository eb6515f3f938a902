"""What a dialogue has spent, and how full the model's window is: the same for every agent.

Where an agent tells only the number of tokens, a table that the user can override says what they
cost: list prices in USD for a million of them, as published by the providers; a name is looked up
by its longest known beginning. A cost that comes from here is marked as an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from manyhands.model.agent.price import Price
from manyhands.model.events import ContextMeasured, UsageRecorded

STEP = 100
"""The window is told of anew once it has moved by a hundredth."""
MILLION = 1_000_000
CACHE_WRITE = 1.25
"""What is put into the provider's cache costs so much more than what is merely read."""
PRICES: dict[str, Price] = {
    "claude-opus": Price(in_=5.0, out=25.0, cached=0.5),
    "claude-sonnet": Price(in_=3.0, out=15.0, cached=0.3),
    "claude-haiku": Price(in_=1.0, out=5.0, cached=0.1),
    "gpt-5": Price(in_=1.25, out=10.0, cached=0.125),
    "gpt-5-mini": Price(in_=0.25, out=2.0, cached=0.025),
    "gpt-5-nano": Price(in_=0.05, out=0.4, cached=0.005),
    "gemini-2.5-pro": Price(in_=1.25, out=10.0, cached=0.31),
    "gemini-2.5-flash": Price(in_=0.3, out=2.5, cached=0.075),
    "mistral-medium": Price(in_=0.4, out=2.0),
    "devstral": Price(in_=0.4, out=2.0),
    "qwen3-coder": Price(in_=1.0, out=5.0),
}
OTHERWISE = Price(in_=3.0, out=15.0, cached=0.3)
"""For a model that nobody has named: rather too much than too little."""


class Amounts(msgspec.Struct, frozen=True):
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0

    def __add__(self, more: Amounts) -> Amounts:
        return Amounts(
            self.tokens_in + more.tokens_in,
            self.tokens_out + more.tokens_out,
            self.cost_usd + more.cost_usd,
        )

    def __neg__(self) -> Amounts:
        return Amounts(-self.tokens_in, -self.tokens_out, -self.cost_usd)

    def since(self, before: Amounts) -> Amounts:
        """A count that fell was begun anew: nothing is ever given back."""
        gone = self + -before
        cost = max(0.0, round(gone.cost_usd, 9))
        return Amounts(max(0, gone.tokens_in), max(0, gone.tokens_out), cost)

    def record(self, model: str, *, estimated: bool = False) -> UsageRecorded:
        return UsageRecorded(
            model=model,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost_usd=round(self.cost_usd, 9),
            estimated=estimated,
        )


class ContextWindow:
    """Told when it has moved, and at a turn's end."""

    def __init__(self) -> None:
        self._used = self._limit = self._told = 0

    def take(self, used: int, limit: int) -> list[ContextMeasured]:
        if not used:
            return []  # not counted, as after a turn that was cut off: no dialogue is empty
        self._used, self._limit = used, limit
        moved = abs(used - self._told)
        return self.rest() if moved * STEP >= limit else []

    def rest(self) -> list[ContextMeasured]:
        if not self._limit or self._used == self._told:
            return []
        self._told = self._used
        return [ContextMeasured(used=self._used, limit=self._limit)]


def price_of(model: str, own: Mapping[str, Price]) -> Price:
    """The user's own table comes first, then ours."""
    name = model.rpartition("/")[2].lower()
    for table in (own, PRICES):
        known = [key for key in table if name.startswith(key.lower())]
        if known:
            return table[max(known, key=len)]
    return OTHERWISE


def estimate(
    model: str,
    own: Mapping[str, Price],
    *,
    fresh: int = 0,
    written: int = 0,
    cached: int = 0,
    out: int = 0,
) -> float:
    """USD for tokens that were read anew, put into the cache, read from it, and written."""
    price = price_of(model, own)
    from_cache = price.in_ if price.cached is None else price.cached
    read = (fresh + written * CACHE_WRITE) * price.in_ + cached * from_cache
    return (read + out * price.out) / MILLION
