"""Children as they really behave: left-over grandchildren, floods, deaths of the parent."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.process.identity import alive, identify
from manyhands.process.inflow import LineTooLong
from manyhands.process.spawn import Child, spawn
from manyhands.process.stop import Patience, end_processes, wait_gone

PYTHON = sys.executable
ENV = {"PATH": os.environ["PATH"]}


async def lines(child: Child) -> list[str]:
    found = []
    while (line := await child.output.line()) is not None:
        found.append(line.decode().rstrip("\n"))
    return found


async def test_exit_is_known_while_a_grandchild_holds_the_pipes(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys; g = subprocess.Popen(['sleep', '600'], start_new_session=True);"
        "print(g.pid, flush=True); sys.exit(7)"
    )
    child = await spawn([PYTHON, "-c", code], cwd=tmp_path, env=ENV)
    assert await child.wait() == 7
    (pid,) = await lines(child)
    grandchild = identify(int(pid))
    assert grandchild is not None
    assert end_processes([grandchild], Patience(term=60)) == []


async def test_all_output_before_the_exit_is_read_by_a_slow_reader(tmp_path: Path) -> None:
    code = "import sys; [print('x' * 1000) for _ in range(2000)]; sys.stdout.flush()"
    child = await spawn([PYTHON, "-c", code], cwd=tmp_path, env=ENV, limit=4096)
    first = await child.output.line()
    assert first is not None
    rest = await lines(child)
    assert len(rest) == 1999
    assert await child.wait() == 0


async def test_what_a_reader_has_held_back_is_read_even_if_it_goes_on_at_the_last_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the very step of the loop in which the output would be taken for quiet."""
    monkeypatch.setattr("manyhands.process.spawn.QUIET", 0.0)
    # A pipe holds all of it, so that the child ends whether it is read or not.
    code = "import sys; [print('x' * 999) for _ in range(60)]; sys.stdout.flush()"
    child = await spawn([PYTHON, "-c", code], cwd=tmp_path, env=ENV, limit=4096)
    assert await child.wait() == 0
    assert child.output.paused
    assert len(await lines(child)) == 60


async def test_a_flood_is_held_back_and_not_held_in_memory(tmp_path: Path) -> None:
    marker = tmp_path / "done"
    code = f"import sys; sys.stdout.write('y\\n' * 1_000_000); open({str(marker)!r}, 'w')"
    child = await spawn([PYTHON, "-c", code], cwd=tmp_path, env=ENV, limit=64 * 1024)
    await child.output.line()
    async with asyncio.timeout(60):
        while not child.output.paused:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)
    assert len(child.output._held) < 64 * 1024 + 300 * 1024
    assert not marker.exists()
    assert len(await lines(child)) == 999_999
    assert marker.exists()


async def test_a_line_over_the_limit_is_an_error_and_not_a_hang(tmp_path: Path) -> None:
    child = await spawn([PYTHON, "-c", "print('z' * 100_000)"], cwd=tmp_path, env=ENV, limit=1000)
    with pytest.raises(LineTooLong):
        await child.output.line()
    child.close()
    await child.wait()


async def test_the_environment_is_exactly_what_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY", "a secret")
    for tethered in (False, True):
        child = await spawn(
            [PYTHON, "-IS", "-c", "import os, json; print(json.dumps(dict(os.environ)))"],
            cwd=tmp_path,
            env={"PATH": "/bin", "ONLY": "this"},
            tethered=tethered,
        )
        (found,) = await lines(child)
        seen = set(json.loads(found)) - {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
        assert seen == {"PATH", "ONLY"}
        await child.wait()


async def test_input_is_written_and_its_end_is_seen(tmp_path: Path) -> None:
    child = await spawn(["cat"], cwd=tmp_path, env=ENV)
    await child.write(b"one\n")
    assert await child.output.line() == b"one\n"
    child.close_input()
    assert await child.wait() == 0
    assert await child.output.line() is None
    with pytest.raises(BrokenPipeError):
        await child.write(b"two\n")


async def test_a_writer_is_freed_when_the_child_dies_without_reading(tmp_path: Path) -> None:
    child = await spawn(["sleep", "60"], cwd=tmp_path, env=ENV)
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        writing = tasks.create_task(child.write(b"x" * 5_000_000))
        await asyncio.sleep(0)
        os.kill(child.pid, signal.SIGKILL)
        assert await child.wait() == -signal.SIGKILL
        await asyncio.wait([writing])


async def test_the_last_words_on_standard_error_are_kept(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('a' * 100_000 + 'the reason'); sys.exit(3)"
    child = await spawn([PYTHON, "-c", code], cwd=tmp_path, env=ENV)
    assert await child.wait() == 3
    assert await child.output.line() is None
    assert child.errors.text().endswith("the reason")
    assert len(child.errors.text()) <= 16 * 1024


async def test_a_tethered_program_that_does_not_exist_says_so(tmp_path: Path) -> None:
    child = await spawn([tmp_path / "nothing"], cwd=tmp_path, env=ENV, tethered=True)
    assert await child.wait() == 1
    await child.output.line()
    assert "cannot run" in child.errors.text()


def test_a_tethered_child_dies_with_its_parent(tmp_path: Path) -> None:
    code = """
import asyncio, os, sys
from pathlib import Path
from manyhands.process.spawn import spawn
async def main():
    child = await spawn(["sleep", "60"], cwd=Path("/"), env=dict(os.environ), tethered=True)
    while Path(f"/proc/{child.pid}/cmdline").read_bytes() != b"sleep\\x0060\\x00":
        await asyncio.sleep(0.01)
    print(child.pid, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""
    parent = subprocess.Popen([PYTHON, "-c", code], stdout=subprocess.PIPE, cwd=tmp_path)
    with parent:
        assert parent.stdout is not None
        child = identify(int(parent.stdout.readline()))
        assert child is not None
        assert alive(child)
        parent.kill()
        parent.wait(60)
        assert wait_gone(child, 60)


async def test_where_long_lines_are_allowed_short_ones_are_not_gathered(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.write('y\\n' * 5_000_000 + 'z' * 3_000_000 + '\\n')"
    child = await spawn([PYTHON, "-c", code], cwd=tmp_path, env=ENV, limit=64 * 1024 * 1024)
    async with asyncio.timeout(60):
        while not child.output.paused:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)
    assert len(child.output._held) < 2 * 1024 * 1024
    *short, last = await lines(child)
    assert (len(short), len(last)) == (5_000_000, 3_000_000)
