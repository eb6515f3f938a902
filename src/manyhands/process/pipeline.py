"""Programs that run to their end, alone or joined by pipes: bounded in time, tethered to us."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from manyhands.process import launcher

LIMIT = 1024 * 1024


@dataclass(frozen=True)
class Ended:
    """`late` where it was killed because its time was over; 127 where it could not be started."""

    returncode: int
    stdout: bytes
    stderr: str
    late: bool = False


def run_pipeline(
    *commands: Sequence[str], env: Mapping[str, str], cwd: Path, timeout: float
) -> list[Ended]:
    """How each program ended, in order; only the last one's output is kept. Blocks.

    The programs die with this process, so that a hub that comes later never meets them.
    """
    with contextlib.ExitStack() as files:
        out = files.enter_context(tempfile.TemporaryFile())
        errors = [files.enter_context(tempfile.TemporaryFile()) for _ in commands]
        children = _start(commands, out, errors, env, cwd)
        late = _await(children, timeout)
        last = len(children) - 1
        return [
            Ended(child.returncode, _read(out) if n == last else b"", _text(errors[n]), late)
            for n, child in enumerate(children)
        ]


_Child = subprocess.Popen[bytes]


def _start(
    commands: Sequence[Sequence[str]],
    out: IO[bytes],
    errors: Sequence[IO[bytes]],
    env: Mapping[str, str],
    cwd: Path,
) -> list[_Child]:
    children: list[_Child] = []
    given: IO[bytes] | None = None
    for number, command in enumerate(commands):
        is_last = number == len(commands) - 1
        child = subprocess.Popen(
            [sys.executable, "-IS", launcher.__file__, str(os.getpid()), *command],
            cwd=cwd,
            env=dict(env),
            stdin=given or subprocess.DEVNULL,
            stdout=out if is_last else subprocess.PIPE,
            stderr=errors[number],
            start_new_session=True,
        )
        if given is not None:
            # Ours closed, the writer learns when its reader ends.
            given.close()
        given = child.stdout
        children.append(child)
    return children


def _await(children: Sequence[_Child], timeout: float) -> bool:
    """Wait for all; true if their time was over and they were killed."""
    late = threading.Event()

    def end() -> None:
        late.set()
        _kill(children)

    timer = threading.Timer(timeout, end)
    timer.start()
    try:
        for child in children:
            child.wait()
    except BaseException:
        _kill(children)
        raise
    finally:
        timer.cancel()
    return late.is_set()


def _kill(children: Sequence[_Child]) -> None:
    for child in children:
        # Not yet waited for, the leader keeps its group's number from being given away.
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(LIMIT)


def _text(file: IO[bytes]) -> str:
    return _read(file).decode("utf-8", "replace")
