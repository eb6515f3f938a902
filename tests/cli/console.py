"""The real console entry as a user's shell would run it, in a home of the test's own."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = str(Path(sys.executable).parent / "manyhands")
SECONDS = 60.0


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
