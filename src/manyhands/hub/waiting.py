"""Waiting for a state to come about: conditions that are looked at after every commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from manyhands.model.state import State

T = TypeVar("T")


class Waiters:
    """`until` returns the first value that its condition gives, at once if it holds already."""

    def __init__(self, state: Callable[[], State]) -> None:
        self._state = state
        self._waiting: dict[asyncio.Future[Any], Callable[[State], Any]] = {}

    async def until(self, condition: Callable[[State], T | None]) -> T:
        found = condition(self._state())
        if found is not None:
            return found
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting[future] = condition
        try:
            return await future
        finally:
            self._waiting.pop(future, None)

    def look(self) -> None:
        """Called after every commit."""
        for future, condition in list(self._waiting.items()):
            found = condition(self._state())
            if found is not None and not future.done():
                future.set_result(found)
