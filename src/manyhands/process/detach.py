"""Background processes that outlive whoever started them: the hub, the nursery, a model.

The child's standard output is a pipe until it has said one line, which means "ready"; its
standard error is the log. With `announce_ready` its output goes to the log from then on.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import ManyhandsError
from manyhands.process.identity import Identity, identify

DYING_SECONDS = 0.5
_started: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class Detached:
    identity: Identity
    line: str
    """What the child said when it was ready."""


class NotReady(ManyhandsError):
    """A background process ended, or stayed silent, before it was ready."""

    def __init__(self, argv: Sequence[str], problem: str, log: Path) -> None:
        self.argv = tuple(argv)
        self.log = log
        last = _last_line(log)
        super().__init__(
            f"{' '.join(argv)} {problem}{': ' + last if last else ''}", hint=f"its log is {log}"
        )


def start_detached(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    log: Path,
    cwd: Path = Path("/"),
    timeout: float = 20.0,
) -> Detached:
    """Start a process of its own and wait, blocking, for its first line."""
    _reap()
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab", opener=_private) as sink:
        child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=sink,
            start_new_session=True,
        )
    _started.append(child)
    assert child.stdout is not None
    with child.stdout as pipe:
        line = _first_line(pipe.fileno(), timeout)
    if line is None:
        raise NotReady(argv, _end(child), log)
    return Detached(identify(child.pid) or Identity(child.pid, 0), line)


def _end(child: subprocess.Popen[bytes]) -> str:
    """End a child that was not ready, and say what was wrong with it."""
    try:
        # The pipe of a dying child closes a moment before the child is gone.
        return f"ended with {child.wait(DYING_SECONDS)}"
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return "was not ready in time"


def announce_ready(line: str) -> None:
    """In the child: say that it is ready, and speak into the log from here on."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
    os.dup2(2, 1)


def _first_line(descriptor: int, timeout: float) -> str | None:
    held = b""
    deadline = time.monotonic() + timeout
    while b"\n" not in held:
        ready, _, _ = select.select([descriptor], [], [], max(0, deadline - time.monotonic()))
        data = os.read(descriptor, 4096) if ready else b""
        if not data:
            return None
        held += data
    return held.split(b"\n", 1)[0].decode("utf-8", "replace")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _reap() -> None:
    """Collect what has ended since; a long-lived starter keeps no corpses."""
    _started[:] = [child for child in _started if child.poll() is None]


def _last_line(log: Path) -> str:
    try:
        lines = log.read_bytes()[-4096:].decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
