"""Whoever uses up too much goes alone: real processes, and a tree that stands in for groups."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from manyhands.box import bubblewrap, limits
from manyhands.model.box import Box, BoxMeans

ORDINARY = ["setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"]
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
MOUNTS = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")
# What is never touched takes no memory of the machine's, and counts all the same.
HUNGRY = """
held = []
try:
    while len(held) < 1000:
        held.append(bytearray(64 * 1024 * 1024))
except MemoryError:
    print(len(held) * 64)
    raise SystemExit(9)
"""
BOMB = """
count=0
while [ $count -lt 60 ]; do sleep 1000 & count=$((count + 1)); echo $count; done
"""


def box_of(by: BoxMeans = "bubblewrap", **given: int) -> Box:
    return msgspec.structs.replace(Box(level="full", by=by), **given)


def in_namespaces(*, ordinary: bool) -> list[str]:
    program = shutil.which("bwrap")
    assert program, "these tests need bubblewrap"
    become = ORDINARY if ordinary and os.getuid() == 0 else []
    return [*become, program, *bubblewrap.NAMESPACES, *MOUNTS, "--"]


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_process_that_takes_without_end_goes_alone() -> None:
    limited = limits.limit_prefix(box_of(by="landlock", memory_mb=1))
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as neighbour:
        done = run([*limited, sys.executable, "-IS", "-c", HUNGRY])
        assert done.returncode == 9, done.stderr
        assert limits.LEAST_MB / 2 < int(done.stdout) < limits.LEAST_MB
        out, _ = neighbour.communicate(b"still here")
    assert out == b"still here"


def test_the_limit_cannot_be_raised_again() -> None:
    limited = limits.limit_prefix(box_of(by="landlock", memory_mb=4096))
    show = "import resource; print(resource.getrlimit(resource.RLIMIT_DATA))"
    done = run([*limited, sys.executable, "-IS", "-c", show])
    assert done.stdout == f"({4096 << 20}, {4096 << 20})\n"


def test_processes_of_a_box_are_bounded_for_an_ordinary_user() -> None:
    limited = limits.limit_prefix(box_of(processes=20))
    done = run([*in_namespaces(ordinary=True), *limited, "sh", "-c", BOMB])
    assert done.returncode != 0
    assert "fork" in done.stderr.lower()
    assert 10 < int(done.stdout.split()[-1]) < 20


def test_one_full_box_leaves_another_its_processes() -> None:
    boxed = [*in_namespaces(ordinary=True), *limits.limit_prefix(box_of(processes=20))]
    fill = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 1000 & done; echo full; read x"
    with subprocess.Popen(
        [*boxed, "sh", "-c", fill], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as full:
        assert full.stdout is not None
        assert full.stdout.readline() == b"full\n"
        few = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0 & done; wait; echo done"
        done = run([*boxed, "sh", "-c", few])
        assert done.stdout == "done\n", done.stderr
        full.kill()


def test_only_root_is_exempt_from_the_count_of_processes() -> None:
    limited = limits.limit_prefix(box_of(processes=20))
    done = run([*in_namespaces(ordinary=False), *limited, "sh", "-c", BOMB])
    assert (done.stdout.split()[-1] == "60") == (os.getuid() == 0)


def test_without_a_count_of_its_own_processes_are_not_limited() -> None:
    """It would be that of all the user's processes together."""
    assert limits.limit_prefix(box_of(by="landlock", processes=20))[-1] == "0"
    assert limits.limit_prefix(box_of(by="bubblewrap", processes=20))[-1] == "20"
    assert limits.limit_prefix(box_of(processes=20, memory_mb=4096), grouped=True)[-2:] == [
        "0",
        "0",
    ]
    assert limits.limit_prefix(Box(memory_mb=4096)) == []


@pytest.mark.parametrize("ordinary", [True, False])
def test_whoever_is_in_a_box_is_the_first_to_go(ordinary: bool) -> None:
    own = Path("/proc/self/oom_score_adj").read_text()
    command = [*limits.limit_prefix(box_of()), "cat", "/proc/self/oom_score_adj"]
    done = run([*in_namespaces(ordinary=ordinary), *command])
    assert done.stdout == f"{limits.FIRST_TO_GO}\n"
    assert Path("/proc/self/oom_score_adj").read_text() == own


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -TERM $$", -signal.SIGTERM)])
def test_exit_codes_and_signals_are_the_programs_own(script: str, code: int) -> None:
    limited = limits.limit_prefix(box_of(memory_mb=4096))
    assert run([*limited, "sh", "-c", script]).returncode == code


def test_words_arrive_as_they_are() -> None:
    words = ["", "a b", "*", "$HOME", "'", "-c", "\\"]
    done = run([*limits.limit_prefix(box_of()), "printf", "<%s>", *words])
    assert done.stdout == "".join(f"<{word}>" for word in words)


# Groups, on a tree that stands in for the kernel's

UID = os.getuid() or 1000
"""For root there is none."""
USERS = f"user.slice/user-{UID}.slice/user@{UID}.service"
OWN = f"{USERS}/app.slice/terminal.scope"


def stand_in(root: Path, handing_on: str = USERS, controllers: str = "cpu memory pids") -> Path:
    (root / OWN).mkdir(parents=True)
    for group in (OWN, f"{USERS}/app.slice", USERS):
        (root / group / "cgroup.subtree_control").write_text("", "ascii")
    (root / handing_on / "cgroup.subtree_control").write_text(controllers + "\n", "ascii")
    for above in (root / OWN).parents:
        if above.is_relative_to(root):
            os.chown(above, UID, -1)
    return root / handing_on


def found(root: Path, own: str = f"0::/{OWN}\n") -> Path | None:
    return limits.find_parent(root, own, UID)


@pytest.mark.parametrize("place", [USERS, f"{USERS}/app.slice"])
def test_groups_are_made_where_systemd_gave_some_to_the_user(tmp_path: Path, place: str) -> None:
    assert found(tmp_path) is None
    parent = stand_in(tmp_path, place)
    assert found(tmp_path) == parent


@pytest.mark.parametrize(
    "own",
    [
        "0::/\n",
        "0::/system.slice/cron.service\n",
        f"0::/{OWN}\n".replace("user@", "user@1"),
        f"0::/user.slice/user-{UID}.slice/session-2.scope\n",
        f"1:cpu:/\n0::/{USERS}/app.slice\n",
        "",
    ],
)
def test_nobody_elses_groups_are_taken(tmp_path: Path, own: str) -> None:
    stand_in(tmp_path)
    (tmp_path / "cgroup.subtree_control").write_text("memory pids", "ascii")
    assert found(tmp_path, own) is None


def test_a_group_that_does_not_hand_memory_on_is_none(tmp_path: Path) -> None:
    stand_in(tmp_path, controllers="cpu pids")
    assert found(tmp_path) is None


def test_root_has_no_groups_of_its_own(tmp_path: Path) -> None:
    stand_in(tmp_path)
    own = f"0::/{USERS}/app.slice\n".replace(str(UID), "0")
    assert limits.find_parent(tmp_path, own, 0) is None


def test_what_this_machine_has_is_one_of_the_two() -> None:
    expected = ("rlimit",) if os.getuid() == 0 else ("rlimit", "cgroup")
    assert limits.find_limits() in expected


def contents(group: Path) -> dict[str, str]:
    return {file.name: file.read_text("ascii") for file in group.iterdir()}


def test_a_group_has_the_limits_of_its_box(tmp_path: Path) -> None:
    box = box_of(memory_mb=2048, processes=300)
    group = limits.make_group(tmp_path, "s1", box)
    assert contents(group) == {
        "memory.max": "2147483648",
        "memory.oom.group": "0",
        "memory.swap.max": "0",
        "pids.max": "300",
    }
    assert limits.make_group(tmp_path, "s1", box, together=True) == group
    assert contents(group)["memory.oom.group"] == "1"
    cores = Box(level="full", by="bubblewrap", cores=1.5)
    assert contents(limits.make_group(tmp_path, "s2", cores)) == {"cpu.max": "150000 100000"}


def test_a_group_is_entered_read_ended_and_removed(tmp_path: Path) -> None:
    group = limits.make_group(tmp_path, "s1", box_of())
    assert limits.memory_kills(group) == 0
    (group / "memory.events").write_text("low 0\noom 3\noom_kill 2\noom_group_kill 1\n", "ascii")
    assert limits.memory_kills(group) == 2
    limits.enter_group(group, 42)
    limits.end_group(group)
    assert contents(group)["cgroup.procs"] == "42"
    assert contents(group)["cgroup.kill"] == "1"
    assert not limits.remove_group(group)
    for file in group.iterdir():  # as the kernel does by itself
        file.unlink()
    assert limits.remove_group(group)
    assert limits.remove_group(group)


def test_a_command_enters_its_group_before_it_is_run(tmp_path: Path) -> None:
    done = run([*limits.group_prefix(tmp_path), "cat", str(tmp_path / "cgroup.procs")])
    assert done.stdout == "0\n"
    done = run([*limits.group_prefix(tmp_path / "gone"), "echo", "ran"])
    assert (done.returncode != 0, done.stdout) == (True, "")
