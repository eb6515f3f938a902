"""One hub per home: the lock that it holds for its whole life, and by which it is known."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from manyhands.config import Home
from manyhands.errors import NotPossible
from manyhands.git.locks import file_lock
from manyhands.model.clock import monotonic
from manyhands.process.holder import load_holder, write_holder

LAST_BREATH = 10.0
"""Seconds for which a child that a killed hub had only just forked may still hold its lock."""


@contextmanager
def hub_lock(home: Home) -> Iterator[None]:
    """Released by the kernel at the hub's end; refuses where another one has it."""
    began = monotonic()
    with ExitStack() as stack:
        while True:
            try:
                held = stack.enter_context(file_lock(home.hub_lock, wait=False))
                break
            except BlockingIOError:
                if monotonic() - began > LAST_BREATH:
                    raise _taken(home) from None
                time.sleep(0.05)
        write_holder(held)
        yield


def is_displaced(home: Home) -> bool:
    """Whether the home was taken away from under this hub, and another one has it now."""
    other = load_holder(home.hub_lock)
    return other is not None and other.pid != os.getpid()


def _taken(home: Home) -> NotPossible:
    other = load_holder(home.hub_lock)
    pid = other.pid if other else "its pid"
    return NotPossible(
        f"another hub already runs on {home.root}{f', process {pid}' if other else ''}",
        hint=f"`manyhands status` shows it; if it does not answer: kill {pid}, then manyhands up "
        "(agents at work go on)",
    )
