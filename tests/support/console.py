"""The real console entry as a user's shell would run it, in a home of the test's own.

What is started with `run` is forked by a process that has everything loaded; what runs on a
terminal or in the background is the installed program itself.
"""

from __future__ import annotations

import json
import os
import pty
import select
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from tests.support.hub_nursery import WORKS, HubProcess, start_command

PROGRAM = str(Path(sys.executable).parent / "manyhands")
SECONDS = 120.0


@dataclass(frozen=True)
class Done:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def data(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        """The error in JSON mode: one document, exactly three fields."""
        shape: dict[str, str] = json.loads(self.err)
        assert set(shape) == {"code", "message", "hint"}
        return shape


class Console:
    def __init__(self, home: Path, cwd: Path) -> None:
        self.home = home
        self.cwd = cwd
        self.variables: dict[str, str] = {}

    def run(
        self,
        *words: str | bytes,
        stdin: bytes = b"",
        seconds: float = SECONDS,
        cwd: Path | None = None,
    ) -> Done:
        if WORKS:
            return self._run_forked(words, stdin, seconds, cwd or self.cwd)
        done = subprocess.run(
            [PROGRAM, *words],
            cwd=cwd or self.cwd,
            env=self.environment,
            input=stdin,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr.decode())

    def _run_forked(
        self, words: Sequence[str | bytes], stdin: bytes, seconds: float, cwd: Path
    ) -> Done:
        reading, writing = os.pipe()
        try:
            process = start_command(words, self.environment, cwd, reading)
        finally:
            os.close(reading)
        try:
            out, err = _exchange(process, writing, stdin, seconds)
            return Done(process.wait(seconds), out, err.decode())
        finally:
            process.end()

    def ok(self, *words: str, **options: Any) -> Done:
        done = self.run(*words, **options)
        assert done.code == 0, (words, done)
        return done

    def json(self, *words: str, **options: Any) -> Any:
        return self.ok(*words, "--json", **options).data

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [PROGRAM, *words],
            cwd=self.cwd,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A shell's background job ignores Ctrl-C, and so would all that it starts.
            preexec_fn=_heed_interrupts,  # noqa: PLW1509 - nothing here has threads
        )

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "MANYHANDS_HOME": str(self.home), **self.variables}

    def on_terminal(self, *words: str, typed: bytes = b"", seconds: float = SECONDS) -> Done:
        """Runs on a terminal of its own; `typed` is already in its keyboard buffer."""
        leader, follower = pty.openpty()
        os.write(leader, typed)
        child = subprocess.Popen(
            [PROGRAM, *words],
            cwd=self.cwd,
            env={**self.environment, "TERM": "xterm"},
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)
        try:
            shown = _read_all(leader, seconds)
            return Done(child.wait(seconds), shown, "")
        finally:
            os.close(leader)
            child.kill()
            child.wait()


def _exchange(process: HubProcess, stdin: int, given: bytes, seconds: float) -> tuple[bytes, bytes]:
    """What it says until it and all to whom it left its pipes have closed them."""
    said: dict[int, bytes] = {pipe.fileno(): b"" for pipe in process.pipes}
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector, os.fdopen(stdin, "wb", buffering=0) as writer:
        os.set_blocking(stdin, False)
        selector.register(writer, selectors.EVENT_WRITE)
        for fd in said:
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map():
            if not (ready := selector.select(deadline - time.monotonic())):
                raise TimeoutError(said)
            for key, _ in ready:
                if key.fileobj is writer:
                    given = _given_on(writer, given)
                    if not given:
                        selector.unregister(writer)
                        writer.close()
                elif part := os.read(key.fd, 65536):
                    said[key.fd] += part
                else:
                    selector.unregister(key.fd)
    out, err = said.values()
    return out, err


def _given_on(writer: FileIO, given: bytes) -> bytes:
    """What is still to be given; whoever does not listen needs no more."""
    try:
        return given[writer.write(given[:65536]) or 0 :]
    except BrokenPipeError:
        return b""


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _read_all(leader: int, seconds: float) -> bytes:
    """Everything shown until the last process on the terminal has closed it."""
    shown = b""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if select.select([leader], [], [], 1.0)[0]:
            try:
                part = os.read(leader, 65536)
            except OSError:
                return shown
            if not part:
                return shown
            shown += part
    raise TimeoutError(shown)
