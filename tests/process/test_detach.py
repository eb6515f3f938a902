"""Background processes: ready when they say so, free of their starter, clear when they fail."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from manyhands.process.detach import NotReady, start_detached
from manyhands.process.identity import alive
from manyhands.process.stop import Patience, end_processes

ENV = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}


def program(code: str) -> list[str]:
    return [sys.executable, "-c", code]


READY = """
import json, os, signal
from manyhands.process.detach import announce_ready
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
found = [int(name) for name in os.listdir("/proc/self/fd")]
open_now = [number for number in found if os.path.exists(f"/proc/self/fd/{number}")]
announce_ready(json.dumps({"pid": os.getpid(), "sid": os.getsid(0), "fds": open_now}))
print("into the log", flush=True)
signal.sigwait({signal.SIGTERM})
"""


def test_a_background_process_owns_its_session_and_inherits_no_descriptor(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "it.log"
    inherited = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(inherited, True)
    try:
        started = start_detached(program(READY), env=ENV, log=log)
    finally:
        os.close(inherited)
    said = json.loads(started.line)
    assert said == {"pid": started.identity.pid, "sid": started.identity.pid, "fds": [0, 1, 2]}
    assert alive(started.identity)
    # It has said that it is ready; to heed a TERM it must come to its last line first.
    assert end_processes([started.identity], Patience(term=60)) == []
    assert log.read_text() == "into the log\n"
    assert log.stat().st_mode & 0o077 == 0


def test_one_that_dies_early_is_reported_with_its_last_words(tmp_path: Path) -> None:
    log = tmp_path / "it.log"
    with pytest.raises(NotReady, match="ended with 1: ValueError: no such port") as caught:
        start_detached(program("raise ValueError('no such port')"), env=ENV, log=log)
    assert str(log) in caught.value.hint


def test_one_that_stays_silent_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "alive")
    reading = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    code = f"import time; alive = open({str(tmp_path / 'alive')!r}, 'w'); time.sleep(600)"
    with pytest.raises(NotReady, match="was not ready in time"):
        start_detached(program(code), env=ENV, log=tmp_path / "it.log", timeout=2.0)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"", "nobody holds it any more"
