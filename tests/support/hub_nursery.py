"""Hubs, model servers and commands under test that start without importing everything anew.

One process per test worker has their code loaded and forks; what it forks is a hub like any other,
with its own environment, session and end. That ``python -m manyhands.api`` starts is shown by the
tests of the command line, that ``python -m manyhands.rehearsal`` does by its own, and that
``manyhands`` does by all that run on a terminal.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import IO, Literal, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 1 << 20
Forked = Literal["hub", "model", "manyhands"]
LATER_IN_COMMANDS = (
    "click.shell_completion",
    "filelock",
    "manyhands.client.calls",
    "manyhands.client.feed",
    "markdown_it",
    "rich.console",
    "rich.table",
)
"""What commands import only when they need it, and only here all at once."""
WORKS = sys.platform == "linux"
"""Elsewhere a process that has loaded system libraries may not go on after a fork."""


class Wish(NamedTuple):
    what: Forked
    words: Sequence[str]
    environment: Mapping[str, str]
    cwd: str


class HubProcess:
    """What was forked, as `subprocess.Popen` would show it; its parent tells how it ended."""

    def __init__(self, pid: int, stdout: int, stderr: int, status: int) -> None:
        self.pid = pid
        self.stdout: IO[str] | None = os.fdopen(stdout, encoding="utf-8")
        self.stderr: IO[str] | None = os.fdopen(stderr, encoding="utf-8")
        self._status = os.fdopen(status, encoding="utf-8")
        self.returncode: int | None = None

    @property
    def pipes(self) -> tuple[IO[str], IO[str]]:
        assert self.stdout is not None
        assert self.stderr is not None
        return self.stdout, self.stderr

    def end(self) -> None:
        """Whatever it still does, it does no more."""
        self.send_signal(signal.SIGKILL)
        self.wait()
        for pipe in self.pipes:
            pipe.close()

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(timeout=0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            ready, _, _ = select.select([self._status], [], [], timeout)
            if not ready:
                raise subprocess.TimeoutExpired("hub", timeout or 0)
            self.returncode = int(self._status.readline() or -signal.SIGKILL)
            self._status.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        # It may end, and be reaped, just now.
        with contextlib.suppress(ProcessLookupError):
            if self.poll() is None:
                os.kill(self.pid, number)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Its last words; what it left running may still hold its pipes, and is not waited for."""
        self.wait(timeout)
        return _rest(self.stdout), _rest(self.stderr)


def _rest(pipe: IO[str] | None) -> str:
    assert pipe is not None
    if pipe.closed:
        return ""
    with pipe:
        os.set_blocking(pipe.fileno(), False)
        return (pipe.buffer.read() or b"").decode(errors="replace")  # type: ignore[attr-defined]


class HubNursery:
    """The worker's end."""

    def __init__(self) -> None:
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                cwd=ROOT,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def close(self) -> None:
        """It ends once nobody is there to wish."""
        self._link.close()
        self._process.wait(timeout=10)

    def start(self, wish: Wish, stdin: int) -> HubProcess:
        pipes = [os.pipe() for _ in range(3)]
        try:
            sent = json.dumps(wish).encode()
            socket.send_fds(self._link, [sent], [*(write for _, write in pipes), stdin])
        finally:
            for _, write in pipes:
                os.close(write)
        return HubProcess(int(self._link.recv(64)), *(read for read, _ in pipes))


_nurseries: dict[int, HubNursery] = {}


def start_hub(words: Sequence[str], environment: Mapping[str, str]) -> HubProcess:
    return _start_server("hub", words, environment)


def start_model(words: Sequence[str], environment: Mapping[str, str]) -> HubProcess:
    return _start_server("model", words, environment)


def _start_server(what: Forked, words: Sequence[str], environment: Mapping[str, str]) -> HubProcess:
    with Path(os.devnull).open("rb") as nothing:
        wish = Wish(what, words, environment, str(ROOT))
        return _nursery().start(wish, nothing.fileno())


def start_command(
    words: Sequence[str | bytes], environment: Mapping[str, str], cwd: Path, stdin: int
) -> HubProcess:
    """`manyhands` with these words, as a shell would run it."""
    wish = Wish("manyhands", [os.fsdecode(word) for word in words], environment, str(cwd))
    return _nursery().start(wish, stdin)


def _nursery() -> HubNursery:
    """This process's own."""
    if os.getpid() not in _nurseries:
        _nurseries[os.getpid()] = HubNursery()
        atexit.register(_nurseries[os.getpid()].close)
    return _nurseries[os.getpid()]


def _preload() -> None:
    """What all hubs share, and what they load only when they make their routes."""
    import manyhands.cli

    commands = [f"manyhands.cli.{found.name}" for found in iter_modules(manyhands.cli.__path__)]
    servers = ("manyhands.rehearsal.__main__", "tests.support.mortal")
    for name in (*servers, *commands, *LATER_IN_COMMANDS):
        importlib.import_module(name)
    from manyhands.api.app import routes
    from manyhands.model.readiness import make_types_ready

    routes()
    make_types_ready()
    gc.collect()
    gc.freeze()


def serve(link: socket.socket) -> None:
    """Fork for every wish until nobody is there to wish; the dead are told of at once."""
    _preload()
    told: dict[int, int] = {}
    awake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, _, _ = select.select([link.fileno(), awake], [], [])
        if awake in ready:
            os.read(awake, 4096)
            for pid, status in _dead(told):
                with os.fdopen(told.pop(pid), "w") as pipe, contextlib.suppress(OSError):
                    pipe.write(f"{os.waitstatus_to_exitcode(status)}\n")
        if link.fileno() in ready:
            wish, fds, _, _ = socket.recv_fds(link, LARGEST, 4)
            if not wish:
                for pid in told:  # a test run that was killed leaves no hub behind
                    os.kill(pid, signal.SIGTERM)
                return
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                for fd in (link.fileno(), awake, wake, fds[2], *told.values()):
                    os.close(fd)
                _become(Wish(*json.loads(wish)), stdin=fds[3], stdout=fds[0], stderr=fds[1])
            told[pid] = fds[2]
            for fd in (fds[0], fds[1], fds[3]):
                os.close(fd)
            link.send(str(pid).encode())


def _dead(known: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    for pid in list(known):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            yield ended, status


def _become(wish: Wish, *, stdin: int, stdout: int, stderr: int) -> None:
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for fd, number in ((stdin, 0), (stdout, 1), (stderr, 2)):
            os.dup2(fd, number)
            os.close(fd)
        os.chdir(wish.cwd)
        os.environ.clear()
        os.environ.update(wish.environment)
        sys.argv = [wish.what, *wish.words]
        sys.modules["__main__"] = ModuleType("__main__")  # a program by its name, not by `-m`
        code = _run(wish.what)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _run(what: Forked) -> int:
    if what == "hub":
        from tests.support.mortal import run

        return run()
    if what == "manyhands":
        from manyhands.cli import main as cli

        cli.run()
    from manyhands.rehearsal.__main__ import main

    main()
    return 0


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
