"""A short question to a program, such as its version: bounded in time and size."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

LIMIT = 64 * 1024


def load_output(argv: Sequence[str], *, env: Mapping[str, str], timeout: float) -> str | None:
    """What the program prints, or None if it fails, hangs or does not exist; blocks."""
    with tempfile.TemporaryFile() as out:
        try:
            child = subprocess.Popen(
                list(argv),
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return None
        try:
            code = child.wait(timeout)
        except subprocess.TimeoutExpired:
            code = -1
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        out.seek(0)
        return out.read(LIMIT).decode("utf-8", "replace") if code == 0 else None
