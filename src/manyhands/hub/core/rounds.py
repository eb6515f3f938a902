"""Level-triggered work: what the committed state asks for is done, and then looked for again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from manyhands.hub.core.faults import Pauses, name_of
from manyhands.hub.core.hub import Hub
from manyhands.model.clock import monotonic

K = TypeVar("K", bound=Hashable)


class Rounds(Generic[K]):
    """For each key at most one task. It attends to its key as long as something is `wanted` for
    it, and once more only if the key was considered meanwhile: else it would change nothing.
    Where that raises, it is noted, `failed` may say what it means, and after a pause it is tried
    again if it is still wanted."""

    def __init__(
        self,
        hub: Hub,
        wanted: Callable[[K], bool],
        attend: Callable[[K], Awaitable[None]],
        failed: Callable[[K, Exception], Awaitable[None]] | None = None,
    ) -> None:
        self._hub = hub
        self._wanted = wanted
        self._attend = attend
        self._failed = failed
        self._considered: dict[K, bool] = {}

    def consider(self, key: K) -> None:
        """Something that concerns the key has changed."""
        if key in self._considered:
            self._considered[key] = True
        elif self._wanted(key):
            self._considered[key] = True
            self._hub.spawn(self._run(key))

    async def _run(self, key: K) -> None:
        pauses = Pauses()
        try:
            while self._considered[key] and self._wanted(key):
                self._considered[key] = False
                began = monotonic()
                if not await self._try(key):
                    await asyncio.sleep(pauses.after(monotonic() - began))
                    self._considered[key] = True
        finally:
            del self._considered[key]

    async def _try(self, key: K) -> bool:
        where = f"{name_of(self._attend)} {key}"
        try:
            await self._attend(key)
        except Exception as error:  # noqa: BLE001 - it is noted
            self._hub.faults.note(where, error)
            await self._tell(key, error)
            return False
        self._hub.faults.over(where)
        return True

    async def _tell(self, key: K, error: Exception) -> None:
        if self._failed is None:
            return
        try:
            await self._failed(key, error)
        except Exception as other:  # noqa: BLE001 - it is noted
            self._hub.faults.note(f"{name_of(self._failed)} {key}", other)
