"""How long a keeper lives, and what it takes with it: children that outlived their parents.

A keeper ends after `linger` seconds in which nothing ran, nobody looked and nothing that the
session started is left. It adopts what its agent's tools left behind, so that nothing escapes
it, and buries what of that has ended. For the case that it is killed, what no longer carries the
session's mark is noted by identity, in the session's own directory.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec
import psutil

from manyhands.config import KEEPER_MARK, PART_MARK, variable
from manyhands.model import clock
from manyhands.model.ids import SessionId
from manyhands.process.identity import (
    Identity,
    alive,
    descendants,
    marked_processes,
    session_processes,
    unmarked_descendants,
)
from manyhands.process.stop import end_processes

log = logging.getLogger(__name__)

PR_SET_CHILD_SUBREAPER = 36
GRACE = 2.0
"""Seconds that an ended child may lie before it is nobody's: ours are waited for at once."""
NOTED = "left-over"
MOST_NOTED = 1000
FIRST = 600.0
"""Seconds that a newborn keeper waits for its first command: a busy machine may take long."""
LEAST = 2.0
"""Seconds that whoever asked for a keeper, or for a thing of it, has to say the next one."""


NO_PARTS: Mapping[str, Identity] = MappingProxyType({})


class Lifespan:
    """`stir` whenever something happens, `wake` when what made it busy is over without having
    mattered; `run` returns when nothing happens any more."""

    def __init__(
        self, linger: float, busy: Callable[[], bool], left_over: Callable[[], bool]
    ) -> None:
        self._linger = max(linger, FIRST)
        self._later = max(linger, LEAST)
        self._busy = busy
        self._left_over = left_over
        self._stirred = asyncio.Event()
        self._last = clock.monotonic()

    def begin(self) -> None:
        """The keeper was told what it is for."""
        if self._linger != self._later:
            self._linger = self._later
            self.wake()

    def stir(self) -> None:
        self._last = clock.monotonic()
        self.wake()

    def wake(self) -> None:
        self._stirred.set()

    async def run(self) -> None:
        while True:
            self._stirred.clear()
            last = self._last
            quiet = clock.monotonic() - last
            if self._busy():
                await self._stirred.wait()
            elif quiet < self._linger:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._linger - quiet):
                        await self._stirred.wait()
            elif await asyncio.to_thread(self._left_over):
                # The end of somebody else's process is not announced to us.
                await asyncio.sleep(max(self._linger, GRACE))
            elif self._last == last and not self._busy():
                # To look for it took a while: only what mattered meanwhile begins it anew.
                return


def left_over(session: SessionId, agents: Collection[int]) -> bool:
    """Whether tools left something running, such as a dev server. What shares an agent's own
    process session (its tool servers) is part of the agent."""
    found = (*session_processes(session), *escaped())
    return any(_sid(one.pid) not in (None, *agents) for one in found)


def sweep(
    session: SessionId, agents: Collection[int] = (), parts: Mapping[str, Identity] = NO_PARTS
) -> None:
    """End every process that the session's agents left, by identity; blocks.

    While other `agents` of the session live, nothing is ended: what they started is theirs. Nor is
    what belongs to the session's living `parts`, its terminals and services, by mark and leader.
    """
    left = [] if agents else [*session_processes(session), *escaped()]
    spared = {one for part, leader in parts.items() for one in part_processes(part, leader)}
    found = [one for one in dict.fromkeys(left) if one not in spared]
    if found:
        log.warning("ending %d processes that were left over: %s", len(found), found)
        end_processes(found)


def part_processes(part: str, leader: Identity) -> list[Identity]:
    """All of a part of the session: what carries its mark, and what runs below its leader."""
    return [leader, *descendants(leader), *marked_processes(f"{PART_MARK}={part}")]


def escaped() -> list[Identity]:
    """Everything below this keeper that it did not start for itself."""
    return unmarked_descendants(f"{KEEPER_MARK}=1") if variable(KEEPER_MARK) else []


_noting = threading.Lock()
"""Turns may end at once, and a keeper looks by itself too, each in a thread of its own."""


def note_left_over(directory: Path) -> None:
    """For the next keeper; where it cannot be written, this one goes on all the same."""
    with _noting:
        found = [(one.pid, one.started) for one in escaped()[:MOST_NOTED]]
        part = directory / f"{NOTED}.part"
        try:
            part.write_bytes(msgspec.json.encode(found))
            part.replace(directory / NOTED)
        except OSError as error:
            log.warning("what is left over could not be noted: %s", error)


def load_left_over(directory: Path, session: str) -> list[Identity]:
    """What still runs of the session: by its mark, or by what its last keeper noted."""
    try:
        noted = msgspec.json.decode((directory / NOTED).read_bytes(), type=list[tuple[int, int]])
    except (OSError, msgspec.DecodeError):
        noted = []
    known = [one for one in (Identity(*entry) for entry in noted) if alive(one)]
    return list(dict.fromkeys([*session_processes(session), *known]))


def _sid(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def adopt_orphans() -> None:
    """Become the parent of whatever our children leave behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


async def bury_orphans() -> None:
    """Reap adopted children as they end, and never one that somebody waits for."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, ended.set)
    before: set[int] = set()
    while True:
        await ended.wait()
        ended.clear()
        await asyncio.sleep(GRACE)
        dead = _dead_children()
        for pid in dead & before:
            _reap(pid)
        before = dead - before
        if before:
            ended.set()


def _dead_children() -> set[int]:
    """Ended and not waited for. To list all children takes long, so first it is asked for one."""
    if sys.platform == "linux":
        try:
            if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return set()
        except ChildProcessError:
            return set()
    return {child.pid for child in psutil.Process().children() if _is_dead(child)}


def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _is_dead(child: psutil.Process) -> bool:
    try:
        return bool(child.status() == psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False
