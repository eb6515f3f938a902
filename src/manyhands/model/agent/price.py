"""What a model costs, for agents that tell tokens only."""

from __future__ import annotations

from typing import Annotated

import msgspec


class Price(msgspec.Struct, frozen=True, kw_only=True, rename={"in_": "in"}):
    """USD for a million tokens."""

    in_: float
    out: float
    cached: float | None = None
    """What was read from the provider's cache; None: as much as `in`."""


Sum = Annotated[float, msgspec.Meta(gt=0)]
