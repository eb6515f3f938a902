"""What a session may use up: by a control group where the user has some of their own, else by
limits that each process has.

A group holds memory, processes and cores of the whole session. Without one, memory holds for each
process alone (`RLIMIT_DATA`: what it has for itself; an address space is reserved far beyond what
is used, 10 GB by Claude Code), and processes are counted only in a box of bubblewrap, whose user
namespace has a count of its own, and not for root. Whoever is in a box is the first to go when the
whole machine runs out of memory, so that neither the hub nor another's work is.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from manyhands.model.box import Box, LimitMeans

FIRST_TO_GO = 500
"""Added to what the kernel takes a process for when it looks for one to end, of 1000."""
LEAST_MB = 2048
"""With 512 Claude Code does not start, with 1024 it works."""
SHELL = "/bin/sh"
# One shell calls it -u, another -p; neither knows both.
LIMIT_SCRIPT = """\
{ echo "$1" >/proc/self/oom_score_adj; } 2>/dev/null
[ "$2" = 0 ] || ulimit -d "$2"
[ "$3" = 0 ] || ulimit -u "$3" 2>/dev/null || ulimit -p "$3"
shift 3
exec "$@"
"""
ENTER_SCRIPT = 'echo 0 >"$1/cgroup.procs" && shift && exec "$@"'
GROUPS = Path("/sys/fs/cgroup")
NEEDED = {"memory", "pids"}
PERIOD = 100_000


def limit_prefix(box: Box, *, grouped: bool = False) -> list[str]:
    """The words before a command that limit it.

    For a box of bubblewrap they go inside: before it, they would count the user's other processes,
    and keep it from starting. For Landlock they go before, as nothing in it can write to /proc.
    """
    if not box.by or sys.platform != "linux":
        return []
    memory = 0 if grouped or not box.memory_mb else max(LEAST_MB, box.memory_mb) * 1024
    processes = box.processes if box.by == "bubblewrap" and not grouped else 0
    return [SHELL, "-c", LIMIT_SCRIPT, "limits", str(FIRST_TO_GO), str(memory), str(processes)]


def group_prefix(group: Path) -> list[str]:
    """The words before a command that put it into the group; they go before those of the box."""
    return [SHELL, "-c", ENTER_SCRIPT, "limits", os.fspath(group)]


def find_limits() -> LimitMeans:
    """By what a session can be limited here, as tried."""
    if sys.platform != "linux":
        return ""
    parent = find_parent()
    return "cgroup" if parent is not None and _is_usable(parent) else "rlimit"


def find_parent(
    groups: Path = GROUPS, own: str | None = None, uid: int | None = None
) -> Path | None:
    """The group below which sessions may have theirs: one that systemd gave to this very user, and
    that hands memory and processes on. Nobody else's is taken, whoever could write to it."""
    lines = (Path("/proc/self/cgroup").read_text("utf-8") if own is None else own).splitlines()
    uid = os.getuid() if uid is None else uid
    if uid == 0 or len(lines) != 1 or not lines[0].startswith("0::/"):
        return None
    place = Path(lines[0].removeprefix("0::/"))
    theirs = f"user@{uid}.service"
    for path in (place, *place.parents):
        if theirs not in path.parts:
            return None
        if _hands_on(groups / path, uid):
            return groups / path
    return None


def make_group(parent: Path, name: str, box: Box, *, together: bool = False) -> Path:
    """A group with the box's limits. `together` ends all of it where one runs out of memory; else
    the largest goes, and an agent sees that its command was killed."""
    group = parent / name
    group.mkdir(exist_ok=True)
    if box.memory_mb:
        _set(group, "memory.max", str(box.memory_mb * 1024 * 1024))
        _set(group, "memory.oom.group", "1" if together else "0")
        with contextlib.suppress(OSError):  # a machine without swap has none to limit
            _set(group, "memory.swap.max", "0")
    if box.processes:
        _set(group, "pids.max", str(box.processes))
    if box.cores:
        with contextlib.suppress(OSError):  # not every machine hands it on
            _set(group, "cpu.max", f"{round(box.cores * PERIOD)} {PERIOD}")
    return group


def enter_group(group: Path, pid: int) -> None:
    _set(group, "cgroup.procs", str(pid))


def memory_kills(group: Path) -> int:
    """How many were ended for want of memory."""
    try:
        lines = (group / "memory.events").read_text("ascii").splitlines()
    except FileNotFoundError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


def end_group(group: Path) -> None:
    """End whoever is still in it."""
    with contextlib.suppress(FileNotFoundError):
        _set(group, "cgroup.kill", "1")


def remove_group(group: Path) -> bool:
    """False while somebody is in it."""
    try:
        group.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _hands_on(group: Path, uid: int) -> bool:
    try:
        handed = set((group / "cgroup.subtree_control").read_text("ascii").split())
        return handed >= NEEDED and group.stat().st_uid == uid and os.access(group, os.W_OK)
    except OSError:
        return False


def _is_usable(parent: Path) -> bool:
    tried = parent / f"manyhands-probe-{os.getpid()}"
    try:
        make_group(parent, tried.name, Box(memory_mb=LEAST_MB, processes=100))
    except OSError:
        return False
    finally:
        removed = remove_group(tried)
    return removed


def _set(group: Path, name: str, value: str) -> None:
    (group / name).write_text(value, "ascii")
