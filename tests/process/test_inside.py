"""Who works in a directory: all are named but the git that we run ourselves."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manyhands.config import KEEPER_MARK
from manyhands.process.inside import processes_inside

STAYS = "import sys; print('here', flush=True); sys.stdin.read()"
ASKS = (
    "import sys; from pathlib import Path; from manyhands.process.inside import processes_inside\n"
    "print(*(p.pid for p in processes_inside(Path(sys.argv[1]))))"
)


@contextmanager
def occupant(directory: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", STAYS],
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "here\n"
        try:
            yield process
        finally:
            process.kill()


def test_somebody_elses_process_is_named(tmp_path: Path) -> None:
    deep = tmp_path / "deep" / "down"
    deep.mkdir(parents=True)
    with occupant(deep) as process:
        asked = subprocess.run(
            [sys.executable, "-c", ASKS, str(tmp_path)], capture_output=True, text=True, check=True
        )
    assert asked.stdout.split() == [str(process.pid)]


def test_a_git_that_we_run_is_no_stranger_and_all_else_that_we_started_is(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    reading = ["git", "cat-file", "--batch"]
    with (
        subprocess.Popen(reading, cwd=tmp_path, stdin=subprocess.PIPE) as ours,
        occupant(tmp_path) as other,
    ):
        assert [found.pid for found in processes_inside(tmp_path)] == [other.pid]
        assert ours.poll() is None


def test_a_git_that_a_keeper_runs_is_no_stranger_and_the_same_of_anybody_else_is(
    tmp_path: Path,
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    # A shell stands between, as a keeper does: nothing tells but what the keeper gave it.
    command = ["sh", "-c", "echo here; cat; exit", "sh"]
    marked = {**os.environ, KEEPER_MARK: "1"}
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stdout=pipe, env=marked) as kept,
        subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stdout=pipe) as other,
    ):
        # On the way to become a shell they could not be told from a git of ours.
        for shell in (kept, other):
            assert shell.stdout
            assert shell.stdout.readline() == b"here\n"
        found = {one.pid for one in processes_inside(tmp_path)}
        assert other.pid in found
        assert kept.pid not in found


def test_a_child_on_its_way_to_become_git_is_no_stranger(tmp_path: Path) -> None:
    """It is looked at many times while gits come and go, at every stage of their lives."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    ended = threading.Event()

    def run_gits() -> None:
        while not ended.is_set():
            subprocess.run(["git", "status", "-s"], cwd=tmp_path, check=True)

    runner = threading.Thread(target=run_gits)
    runner.start()
    try:
        assert [processes_inside(tmp_path) for _ in range(100)] == [[]] * 100
    finally:
        ended.set()
        runner.join()
