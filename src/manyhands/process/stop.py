"""The ladder by which a process is stopped: ask, then TERM, then KILL, each bounded in time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass

from manyhands.errors import ManyhandsError
from manyhands.process.identity import LINUX, Identity, alive, identify, program_inside
from manyhands.process.spawn import Child


@dataclass(frozen=True)
class Patience:
    """Seconds granted on each rung."""

    ask: float = 2.0
    term: float = 5.0
    kill: float = 5.0


async def stop_child(
    child: Child,
    ask: Callable[[], Awaitable[None]] | None = None,
    patience: Patience = Patience(),
) -> int | None:
    """Stop a child and its group; the exit code, or None for one that even KILL did not end."""
    if ask is not None and child.alive:
        with contextlib.suppress(TimeoutError, OSError, ManyhandsError):
            await asyncio.wait_for(ask(), patience.ask)
    for number, seconds in ((signal.SIGTERM, patience.term), (signal.SIGKILL, patience.kill)):
        if not child.alive:
            break
        signal_child(child, number)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(child.wait(), seconds)
    # The leader is gone; what it left behind in its group is not asked again.
    signal_group(child.identity, signal.SIGKILL, leader_gone=True)
    child.close()
    return child.returncode


def signal_child(child: Child, number: signal.Signals) -> None:
    """What holds a box would end it at once: the program inside is asked, and alone."""
    program = program_inside(child.pid) if child.boxed and number != signal.SIGKILL else None
    if program is None:
        signal_group(child.identity, number)
    else:
        signal_process(program, number)


def signal_group(leader: Identity, number: signal.Signals, *, leader_gone: bool = False) -> None:
    """Signal the group that `leader` leads.

    A group's number is not used again while it has members, so a dead leader's group is safe
    to signal as long as no new process has taken the pid.
    """
    stranger = identify(leader.pid) not in (leader, None)
    if stranger or not (leader_gone or alive(leader)):
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader.pid, number)


def signal_process(identity: Identity, number: signal.Signals) -> bool:
    """Signal this very process; False if it is gone."""
    try:
        if LINUX:
            with _handle(identity) as handle:
                signal.pidfd_send_signal(handle, number)
        elif alive(identity):
            os.kill(identity.pid, number)
        else:
            return False
    except (ProcessLookupError, PermissionError):
        return False
    return True


@contextlib.contextmanager
def _handle(identity: Identity) -> Iterator[int]:
    """The kernel's own handle of this very process; raises `ProcessLookupError` if it is gone."""
    handle = os.pidfd_open(identity.pid)
    try:
        # Checked after opening: the handle cannot pass to a later process of the same pid.
        if not alive(identity):
            raise ProcessLookupError(identity.pid)
        yield handle
    finally:
        os.close(handle)


def end_processes(
    identities: Iterable[Identity], patience: Patience = Patience(term=2.0, kill=2.0)
) -> list[Identity]:
    """TERM, then KILL, processes that are not our children; blocks. The survivors, if any."""
    left = [identity for identity in identities if alive(identity)]
    for number, seconds in ((signal.SIGTERM, patience.term), (signal.SIGKILL, patience.kill)):
        for identity in left:
            signal_process(identity, number)
        deadline = time.monotonic() + seconds
        left = [i for i in left if not wait_gone(i, deadline - time.monotonic())]
        if not left:
            break
    return left


def wait_gone(identity: Identity, seconds: float) -> bool:
    """Block until the process has ended, at most so long."""
    if LINUX:
        with contextlib.suppress(ProcessLookupError), _handle(identity) as handle:
            poller = select.poll()
            poller.register(handle, select.POLLIN)
            poller.poll(max(0, seconds) * 1000)
        return not alive(identity)
    deadline = time.monotonic() + seconds
    while alive(identity) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(identity)
