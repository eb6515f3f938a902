"""Items that wait for a person: asked by the agent, answered once, or moot with their turn.

An item is *open* from the question to its answer. Its agent usually waits for it; where the
agent's wait broke off, the item stays open until it is known whether the agent died (then a
late answer resumes it) or went on without (then the end of the turn makes it moot).
"""

from __future__ import annotations

import asyncio

from manyhands.model.attention import Attention, Resolution
from manyhands.model.events import (
    AttentionRaised,
    PermissionRequested,
    PlanProposed,
    QuestionAsked,
    Raising,
)
from manyhands.model.ids import AttentionId


def raising(item: Attention) -> Raising:
    """The event that tells of the item."""
    match item.kind:
        case "plan":
            return PlanProposed(item=item)
        case "permission":
            return PermissionRequested(item=item)
        case "question":
            return QuestionAsked(item=item)
        case _:
            return AttentionRaised(item=item)


class Asks:
    def __init__(self) -> None:
        self._open: dict[AttentionId, asyncio.Future[Resolution]] = {}
        self._abandoned: list[asyncio.Future[Resolution]] = []
        self._answered: set[AttentionId] = set()

    def __len__(self) -> int:
        return len(self._open)

    def answered(self, item: AttentionId) -> bool:
        return item in self._answered

    async def wait(self, item: AttentionId) -> Resolution:
        """The person's decision, whenever it comes."""
        future: asyncio.Future[Resolution] = asyncio.get_running_loop().create_future()
        self._open[item] = future
        return await future

    def answer(self, item: AttentionId, resolution: Resolution) -> bool:
        """Give the decision to whoever waits for it; False where nobody does."""
        future = self._open.get(item)
        if future is None or future.done():
            return False
        future.set_result(resolution)
        self.close(item)
        return True

    def close(self, item: AttentionId) -> None:
        """The item is answered for good, whichever way the answer went."""
        future = self._open.pop(item, None)
        if future is not None and not future.done():
            self._abandoned.append(future)
        self._answered.add(item)

    def open_items(self) -> list[AttentionId]:
        return list(self._open)

    def let_go(self) -> None:
        """No agent waits any more; what is open now can only be answered late."""
        for future in (*self._open.values(), *self._abandoned):
            future.cancel()
        self._open.clear()
        self._abandoned.clear()
