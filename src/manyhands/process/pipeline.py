"""Programs that run to their end, alone or joined by pipes: bounded in time, tethered to us."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from manyhands.model.clock import monotonic
from manyhands.process.identity import identify
from manyhands.process.launcher import launched
from manyhands.process.stop import wait_gone

LIMIT = 1024 * 1024


@dataclass(frozen=True)
class PipelineEnd:
    """`late` where it was killed because its time was over."""

    returncode: int
    stdout: bytes
    stderr: str
    late: bool = False


def run_pipeline(
    *commands: Sequence[str], env: Mapping[str, str], timeout: float, cwd: Path | None = None
) -> list[PipelineEnd]:
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
            PipelineEnd(child.returncode, _read(out) if n == last else b"", _text(errors[n]), late)
            for n, child in enumerate(children)
        ]


def load_output(argv: Sequence[str], *, env: Mapping[str, str], timeout: float) -> str | None:
    """What the program prints, or None if it fails, hangs or does not exist; blocks."""
    [ended] = run_pipeline(argv, env=env, timeout=timeout)
    return ended.stdout.decode("utf-8", "replace") if ended.returncode == 0 else None


_Child = subprocess.Popen[bytes]


def _start(
    commands: Sequence[Sequence[str]],
    out: IO[bytes],
    errors: Sequence[IO[bytes]],
    env: Mapping[str, str],
    cwd: Path | None,
) -> list[_Child]:
    children: list[_Child] = []
    given: IO[bytes] | None = None
    for number, command in enumerate(commands):
        is_last = number == len(commands) - 1
        child = subprocess.Popen(
            launched(command),
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
    """Wait for all; true if their time was over. However it goes, nothing is left running."""
    deadline = monotonic() + timeout
    try:
        return not all(_ends(child, deadline - monotonic()) for child in children)
    finally:
        for child in children:
            # Not yet waited for, the leader keeps its group's number from being given away.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _ends(child: _Child, seconds: float) -> bool:
    identity = identify(child.pid)
    return identity is None or wait_gone(identity, seconds)


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(LIMIT)


def _text(file: IO[bytes]) -> str:
    return _read(file).decode("utf-8", "replace")
