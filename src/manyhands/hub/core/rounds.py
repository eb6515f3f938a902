"""Level-triggered work: what the committed state asks for is done, and then looked for again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from manyhands.hub.core.hub import Hub

K = TypeVar("K", bound=Hashable)


class Rounds(Generic[K]):
    """For each key at most one task. It attends to its key as long as something is `wanted` for
    it, and once more only if the key was considered meanwhile: else it would change nothing."""

    def __init__(
        self, hub: Hub, wanted: Callable[[K], bool], attend: Callable[[K], Awaitable[None]]
    ) -> None:
        self._hub = hub
        self._wanted = wanted
        self._attend = attend
        self._considered: dict[K, bool] = {}

    def consider(self, key: K) -> None:
        """Something that concerns the key has changed."""
        if key in self._considered:
            self._considered[key] = True
        elif self._wanted(key):
            self._considered[key] = True
            self._hub.spawn(self._run(key))

    async def _run(self, key: K) -> None:
        try:
            while self._considered[key] and self._wanted(key):
                self._considered[key] = False
                await self._attend(key)
        finally:
            del self._considered[key]
