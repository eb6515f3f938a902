"""A guarded program takes its whole group with it, and goes with whoever started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.support.driver import gone

STARTER = """
import asyncio, os
from pathlib import Path
from manyhands.process.launcher import GROUP, launched
from manyhands.process.spawn import spawn
async def main():
    wrapper = launched(["sh", "-c", "sleep 4567 & echo $!; wait"], GROUP)
    child = await spawn(wrapper, cwd=Path("/"), env=dict(os.environ), tethered=True)
    print(child.pid, (await child.output.line()).decode().strip(), flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


@pytest.mark.parametrize("victim", ["starter", "wrapper"])
def test_what_a_wrapper_started_never_outlives_it(victim: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path, text=True) as starter:
        assert starter.stdout is not None
        wrapper, inner = map(int, starter.stdout.readline().split())
        processes = [psutil.Process(wrapper), psutil.Process(inner)]
        guards = [child for child in processes[0].children() if child.pid != inner]
        assert len(guards) == 1
        os.kill(starter.pid if victim == "starter" else wrapper, signal.SIGKILL)
        assert all(gone(process) for process in [*processes, *guards])
        starter.kill()
