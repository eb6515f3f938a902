"""What tokens cost, where an agent tells only their number: a table that the user can override.

List prices in USD for a million tokens, as published by the providers; a name is looked up by
its longest known beginning. A cost that comes from here is marked as an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.model.price import Price

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
