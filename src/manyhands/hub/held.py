"""What must wait for a person before it can go on."""

from __future__ import annotations

from manyhands.model.attention import Attention


class Held(Exception):
    """Raised by a step; the item says what is to be settled, and the step then runs again."""

    def __init__(self, item: Attention) -> None:
        super().__init__(item.summary)
        self.item = item
