"""How full the model's window is, told when it has moved and at a turn's end."""

from __future__ import annotations

from acp.schema import UsageUpdate

from manyhands.model.events import ContextMeasured

STEP = 100
"""It is told of anew once it has moved by a hundredth."""


class Window:
    def __init__(self) -> None:
        self._used = 0
        self._limit = 0
        self._told = 0

    def take(self, update: UsageUpdate) -> list[ContextMeasured]:
        if not update.used:
            return []  # not counted, as after a turn that was cut off: no dialogue is empty
        self._used, self._limit = update.used, update.size
        moved = abs(self._used - self._told)
        return self.rest() if moved * STEP >= self._limit else []

    def rest(self) -> list[ContextMeasured]:
        if not self._limit or self._used == self._told:
            return []
        self._told = self._used
        return [ContextMeasured(used=self._used, limit=self._limit)]
