"""What a station does blocks; whoever asks for it awaits it."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_thread(do: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """The deed, done in a thread while the caller waits."""

    @functools.wraps(do)
    async def done(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(do, *args, **kwargs)

    return done
