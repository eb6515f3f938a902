"""How a process becomes a keeper: cut off from where it came from, answering once it listens.

Run as a module it is a keeper that was started ahead of need: it preloads, also for the kinds of
agents that are named, then waits for its spec.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import signal
import sys
from collections.abc import Iterable

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.model.ids import SessionId
from manyhands.model.readiness import make_types_ready
from manyhands.model.wire import KeeperSpec

log = logging.getLogger(__name__)

EVERY_KEEPERS = ("manyhands.keeper.keeper", "pygit2", "psutil")
BY_KIND = {
    "claude": ("manyhands.agents.claude.agent", "anyio._backends._asyncio"),
    "acp": ("manyhands.agents.acp.agent",),
    "terminal": ("manyhands.agents.terminal.agent",),
}
"""What keepers of one kind of agent need besides; to import it takes a while."""


class Birth(msgspec.Struct, omit_defaults=True):
    """The pid of a keeper that listens, or why there is none."""

    session: SessionId
    epoch: int
    pid: int = 0
    error: str = ""


def preload(names: Iterable[str]) -> None:
    """Import what keepers need; whatever is missing is missed later, by whoever needs it."""
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            log.warning("%s cannot be preloaded", name, exc_info=True)
    make_types_ready()


def become_keeper(spec: KeeperSpec, answers: int) -> int:
    """Live as the keeper of `spec`; the exit code. One `Birth` goes to the descriptor."""
    from manyhands.keeper.claim import SessionTaken
    from manyhands.keeper.keeper import run_keeper

    _cut_off(spec, answers)
    told = False

    def answer(pid: int, error: str = "") -> None:
        nonlocal told
        if not told:
            told = True
            said = Birth(session=spec.session, epoch=spec.epoch, pid=pid, error=error)
            _say(answers, said)

    try:
        return run_keeper(spec, lambda: answer(os.getpid()))
    except SessionTaken as taken:
        # Asked for twice: the first one is the answer.
        answer(taken.pid if taken.epoch == spec.epoch else 0, taken.message)
        return taken.exit_code
    except BaseException as error:
        log.exception("the keeper of %s ends", spec.session)
        answer(0, _reason(error))
        return 1
    finally:
        logging.shutdown()


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (
        error.message if isinstance(error, ManyhandsError) else f"{type(error).__name__}: {error}"
    )


def _say(answers: int, said: Birth) -> None:
    # Whoever asked may be gone; the hub finds us by our lock.
    with contextlib.suppress(BrokenPipeError):
        os.write(answers, msgspec.json.encode(said) + b"\n")
    os.close(answers)


def _cut_off(spec: KeeperSpec, kept: int) -> None:
    """No terminal, no inherited descriptor, no ignored signal of whoever started us."""
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.chdir("/")
    for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    log = os.open(spec.log, flags, 0o600) if spec.log else nothing
    for target, source in ((0, nothing), (1, log), (2, log)):
        os.dup2(source, target)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
    os.set_inheritable(kept, False)


if __name__ == "__main__":
    preload(EVERY_KEEPERS)
    for kind in BY_KIND.keys() & sys.argv[1:]:
        preload(BY_KIND[kind])
    if line := sys.stdin.buffer.readline():
        os._exit(become_keeper(msgspec.json.decode(line, type=KeeperSpec), os.dup(1)))
