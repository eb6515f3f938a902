"""Gives the hub a ready keeper in milliseconds: a preloaded process that forks.

The hub's side is `Nursery`: one `KeeperSpec` per line goes in, one `Birth` per keeper comes
out, in whichever order they become ready. The process has a single thread, imports what
keepers need once and shares it with them; its end touches no keeper. What only one kind of agent
needs is imported when the first of that kind is asked for; if that is likely, in a quiet moment.
Where fork is not safe it hands the specs to spares instead: one keeper process is always started
ahead of need.
"""

from __future__ import annotations

import asyncio
import gc
import os
import selectors
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from manyhands.config import KEEPER_MARK, child_environment
from manyhands.errors import ManyhandsError
from manyhands.keeper.birth import BY_KIND, EVERY_KEEPERS, Birth, become_keeper, preload
from manyhands.model.ids import SessionId
from manyhands.model.wire import KeeperSpec
from manyhands.process.spawn import Child, spawn
from manyhands.process.stop import stop_child

FORKS = sys.platform == "linux"
READY_SECONDS = 30.0
LONGEST_SPEC = 16 * 1024 * 1024
QUIET_SECONDS = 3.0
"""After so long without a wish, the next likely kind of agent is preloaded."""


class NoKeeper(ManyhandsError):
    """A keeper could not be started."""

    code = "no_keeper"


class Nursery:
    """The hub's hold on the nursery process, which is started again when it died."""

    def __init__(
        self,
        log_path: Path,
        *,
        forks: bool = FORKS,
        likely: Callable[[], Iterable[str]] = lambda: BY_KIND,
    ) -> None:
        self._log_path = log_path
        self._forks = forks
        self._likely = likely
        self._child: Child | None = None
        self._starting = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._asked: dict[tuple[SessionId, int], asyncio.Future[Birth]] = {}

    @property
    def pid(self) -> int:
        return self._child.pid if self._child else 0

    async def start(self) -> None:
        """Have a process; calling it again costs nothing."""
        async with self._starting:
            if self._child is None or not self._child.alive:
                self._child = await self._spawn()

    async def _spawn(self) -> Child:
        how = "fork" if self._forks else "spawn"
        module = (sys.executable, "-m", "manyhands.keeper.nursery")
        argv = [*module, how, str(self._log_path), *sorted(set(self._likely()))]
        return await spawn(argv, cwd=Path("/"), env=child_environment({KEEPER_MARK: "1"}))

    async def keeper(self, spec: KeeperSpec) -> int:
        """Start a keeper and return its pid once it listens."""
        for _ in range(2):
            try:
                async with asyncio.timeout(READY_SECONDS):
                    answer = await self._ask(spec)
            except BrokenPipeError:
                continue  # the nursery died; asked for again, a keeper is still made only once
            except TimeoutError:
                raise NoKeeper(f"no keeper was ready within {READY_SECONDS:.0f} s") from None
            if not answer.pid:
                raise NoKeeper(answer.error)
            return answer.pid
        raise NoKeeper("the nursery does not live", hint=f"its log is {self._log_path}")

    async def _ask(self, spec: KeeperSpec) -> Birth:
        await self.start()
        child, key = self._child, (spec.session, spec.epoch)
        assert child is not None
        answer: asyncio.Future[Birth] = asyncio.get_running_loop().create_future()
        self._asked[key] = answer
        try:
            await child.write(msgspec.json.encode(spec) + b"\n")
            while not answer.done():
                await self._read_for_all(child, answer)
            return answer.result()
        except BrokenPipeError:
            if self._child is child:
                child.close()
                self._child = None
            raise
        finally:
            self._asked.pop(key, None)

    async def _read_for_all(self, child: Child, mine: asyncio.Future[Birth]) -> None:
        """Whoever waits first reads for all."""
        async with self._reading:
            if mine.done():
                return
            line = await child.output.line()
            if line is None:
                raise BrokenPipeError("the nursery ended")
            answer = msgspec.json.decode(line, type=Birth)
            asked = self._asked.get((answer.session, answer.epoch))
            if asked and not asked.done():
                asked.set_result(answer)

    async def close(self) -> None:
        """Let the nursery end; keepers go on."""
        child, self._child = self._child, None
        if child:
            child.close_input()
            await stop_child(child, ask=lambda: _ended(child))


async def _ended(child: Child) -> None:
    await child.wait()


def main(how: str, log: str, *likely: str) -> None:
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(sink, 2)
    os.close(sink)
    if how == "spawn":
        asyncio.run(_serve_by_spares(likely))
    else:
        _Forking(likely).serve()
    # At once: what a keeper still holds of us is none of our business.
    os._exit(0)


class _Forking:
    """The loop of the nursery process: specs come in, and ready keepers report."""

    def __init__(self, likely: Iterable[str]) -> None:
        self._selector = selectors.DefaultSelector()
        self._specs = bytearray()
        self._reports: dict[int, tuple[KeeperSpec, bytearray]] = {}
        self._unloaded = dict(BY_KIND)
        self._likely = [kind for kind in likely if kind in BY_KIND]

    def serve(self) -> None:
        """Until the hub closes our input."""
        # Children are reaped by the kernel.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self._selector.register(0, selectors.EVENT_READ)
        _preload(EVERY_KEEPERS)
        while True:
            ready = self._selector.select(QUIET_SECONDS if self._likely else None)
            if not ready:
                self._load(self._likely.pop())
            for key, _ in ready:
                if key.fd != 0:
                    self._hear(key.fd)
                elif not self._take_specs():
                    return

    def _take_specs(self) -> bool:
        data = os.read(0, 1 << 20)
        self._specs += data
        *lines, rest = self._specs.split(b"\n")
        self._specs = rest
        for line in lines:
            spec = msgspec.json.decode(line, type=KeeperSpec)
            self._load(spec.agent.kind)
            self._fork(spec)
        return bool(data)

    def _load(self, kind: str) -> None:
        if names := self._unloaded.pop(kind, ()):
            _preload(names)

    def _fork(self, spec: KeeperSpec) -> None:
        report, answers = os.pipe()
        try:
            pid = os.fork()
        except OSError as error:
            os.close(report)
            os.close(answers)
            _answer(Birth(spec.session, spec.epoch, error=f"no fork: {error}"))
            return
        if pid == 0:
            # Closed by us, not by its finaliser: that would hit whatever has its number then.
            self._selector.close()
            os._exit(become_keeper(spec, answers))
        os.close(answers)
        self._reports[report] = (spec, bytearray())
        self._selector.register(report, selectors.EVENT_READ)

    def _hear(self, report: int) -> None:
        spec, heard = self._reports[report]
        data = os.read(report, 1 << 16)
        heard += data
        if data:
            return
        self._selector.unregister(report)
        os.close(report)
        del self._reports[report]
        if heard:
            _write_all(bytes(heard))
        else:
            silent = "the keeper ended before it was ready"
            _answer(Birth(spec.session, spec.epoch, error=silent))


async def _serve_by_spares(likely: Iterable[str]) -> None:
    """Until the hub closes our input."""
    specs = asyncio.StreamReader(limit=LONGEST_SPEC)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(specs), sys.stdin
    )
    spare = await _start_spare(likely)
    async with asyncio.TaskGroup() as tasks:
        while line := await specs.readline():
            tasks.create_task(_hand_over(spare, line))
            spare = await _start_spare(likely)
        # Leaving in order would close the transports, and with them kill the keepers.
        os._exit(0)


async def _start_spare(likely: Iterable[str]) -> Child:
    argv = [sys.executable, "-m", "manyhands.keeper.birth", *likely]
    return await spawn(argv, cwd=Path("/"), env=child_environment())


async def _hand_over(spare: Child, line: bytes) -> None:
    """Give the spare its spec and pass its answer on; hold it, and so let it live, to its end."""
    try:
        await spare.write(line)
        answer = await spare.output.line()
        while await spare.output.line():
            pass  # it lets go of us once it has answered
    except BrokenPipeError:
        answer = None
    if answer is None:
        spec = msgspec.json.decode(line, type=KeeperSpec)
        problem = f"the keeper ended before it was ready: {spare.errors.text()[-500:]}"
        _answer(Birth(spec.session, spec.epoch, error=problem))
    else:
        _write_all(answer)
    await spare.wait()


def _preload(names: Iterable[str]) -> None:
    preload(names)
    gc.collect()
    gc.freeze()


def _answer(answer: Birth) -> None:
    _write_all(msgspec.json.encode(answer) + b"\n")


def _write_all(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    main(*sys.argv[1:])
