"""The stop ladder on processes that resist, and the search for what was left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from manyhands.model.ids import fresh_id
from manyhands.process.identity import Identity, alive, descendants, identify, session_processes
from manyhands.process.spawn import spawn
from manyhands.process.stop import Patience, end_processes, signal_process, stop_child

PYTHON = sys.executable
ENV = {"PATH": os.environ["PATH"]}
QUICK = Patience(ask=0.3, term=0.3, kill=60)
PATIENT = Patience(ask=0.3, term=60, kill=60)
"""For those who heed a TERM: on a busy machine too it is that which ends them."""
DEAF = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('ready', flush=True); time.sleep(60)"
)


async def test_a_child_that_ignores_term_is_killed(tmp_path: Path) -> None:
    child = await spawn([PYTHON, "-c", DEAF], cwd=tmp_path, env=ENV)
    assert await child.output.line() == b"ready\n"
    assert await stop_child(child, patience=QUICK) == -signal.SIGKILL


async def test_a_child_is_asked_first(tmp_path: Path) -> None:
    child = await spawn([PYTHON, "-c", "input(); print('bye')"], cwd=tmp_path, env=ENV)

    async def ask() -> None:
        await child.write(b"please\n")
        await child.wait()

    assert await stop_child(child, ask, Patience(ask=20)) == 0


async def test_an_unheard_request_goes_on_to_term(tmp_path: Path) -> None:
    child = await spawn(["sleep", "60"], cwd=tmp_path, env=ENV)

    async def ask() -> None:
        await child.wait()

    assert await stop_child(child, ask, PATIENT) == -signal.SIGTERM


async def test_the_whole_group_is_stopped(tmp_path: Path) -> None:
    code = (
        "import subprocess, time;"
        f"c = subprocess.Popen([{PYTHON!r}, '-c', {DEAF!r}], stdout=subprocess.PIPE);"
        "c.stdout.readline(); print(c.pid, flush=True); time.sleep(60)"
    )
    child = await spawn([PYTHON, "-c", code], cwd=tmp_path, env=ENV)
    below = identify(int((await child.output.line()) or b"0"))
    assert below is not None
    assert descendants(child.identity) == [below]
    assert await stop_child(child, patience=PATIENT) == -signal.SIGTERM
    assert end_processes([below], PATIENT) == []
    assert not alive(below)


async def test_what_a_session_started_is_found_wherever_it_went(tmp_path: Path) -> None:
    code = (
        "import subprocess; c = subprocess.Popen(['sleep', '60'], start_new_session=True,"
        "stdin=-3, stdout=-3, stderr=-3); print(c.pid, flush=True)"
    )
    session = fresh_id()  # all of the machine is looked at, whatever else runs there
    env = {**ENV, "MANYHANDS_SESSION": session}
    child = await spawn([PYTHON, "-c", code], cwd=tmp_path, env=env)
    pid = int((await child.output.line()) or b"0")
    await child.wait()
    assert [found.pid for found in session_processes(session)] == [pid]
    assert session_processes(session[:-1]) == []
    assert end_processes(session_processes(session), PATIENT) == []
    assert session_processes(session) == []


def test_a_process_is_never_signalled_by_its_pid_alone() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        found = identify(process.pid)
        assert found is not None
        earlier = Identity(found.pid, found.started - 1)
        assert not alive(earlier)
        assert not signal_process(earlier, signal.SIGKILL)
        assert end_processes([earlier]) == []
        assert process.poll() is None
        assert signal_process(found, signal.SIGKILL)
        process.wait(60)


def test_a_corpse_is_not_alive() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        found = identify(process.pid)
        assert found is not None
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not alive(found)
