"""Programs run to their end: their exits are told apart, and their time is bounded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

from manyhands.process.pipeline import LIMIT, run_pipeline

ENV = {"PATH": os.environ["PATH"]}
HERE = Path("/")


def test_what_the_first_says_the_second_gets() -> None:
    first, second = run_pipeline(
        ["sh", "-c", "echo one; echo two; echo odd >&2"],
        ["sort", "-r"],
        env=ENV,
        cwd=HERE,
        timeout=30,
    )
    assert (first.returncode, first.stdout, first.stderr) == (0, b"", "odd\n")
    assert (second.returncode, second.stdout) == (0, b"two\none\n")


def test_each_exit_is_told() -> None:
    ended = run_pipeline(
        ["sh", "-c", "exit 3"], ["sh", "-c", "cat; exit 4"], env=ENV, cwd=HERE, timeout=30
    )
    assert [e.returncode for e in ended] == [3, 4]


def test_a_writer_whose_reader_is_gone_ends() -> None:
    first, second = run_pipeline(["yes"], ["true"], env=ENV, cwd=HERE, timeout=30)
    assert first.returncode == -signal.SIGPIPE or "Broken pipe" in first.stderr
    assert (second.returncode, second.late) == (0, False)


def test_time_is_bounded_for_all_and_their_children() -> None:
    ended = run_pipeline(
        ["sh", "-c", "sleep 60 & wait"], ["sleep", "60"], env=ENV, cwd=HERE, timeout=0.3
    )
    assert all(e.late and e.returncode == -signal.SIGKILL for e in ended)


def test_output_is_bounded_and_a_missing_program_is_no_exception() -> None:
    [much] = run_pipeline(["head", "-c", "3000000", "/dev/zero"], env=ENV, cwd=HERE, timeout=30)
    assert len(much.stdout) == LIMIT
    [none] = run_pipeline(["no-such-program"], env=ENV, cwd=HERE, timeout=30)
    assert none.returncode != 0
    assert "no-such-program" in none.stderr


def test_a_killed_parent_leaves_no_program(tmp_path: Path) -> None:
    pipe = tmp_path / "pid"
    os.mkfifo(pipe)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from manyhands.process.pipeline import run_pipeline\n"
        "run_pipeline(['sh', '-c', f'echo $$ > {sys.argv[1]}; exec sleep 60'],"
        " env={'PATH': '/usr/bin:/bin'}, cwd=Path('/'), timeout=60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(pipe)])
    child = psutil.Process(int(pipe.read_text()))
    parent.kill()
    parent.wait(30)
    child.wait(30)
    assert not child.is_running()
