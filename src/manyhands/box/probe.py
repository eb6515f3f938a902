"""What this machine can make a box of, found by really trying.

Bubblewrap with all that our boxes ask of it, else Landlock, else nothing; on macOS `sandbox-exec`.
Whatever is less than the best says why, and what would change it.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from manyhands.box import bubblewrap, hindrances, landlock, limits, seatbelt
from manyhands.config import child_environment
from manyhands.model.box import Means
from manyhands.process.pipeline import PipelineEnd, run_pipeline

LONGEST = 10.0
"""Seconds for one attempt, which takes some milliseconds on a machine that is well."""
MOUNTS = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run")
SYSCTLS = (hindrances.CLONE, hindrances.COUNT, hindrances.APPARMOR)
HELD_BY_SEATBELT = (
    "sandbox-exec holds files and the network, but a program may outlive its session, "
    "as macOS has no namespaces"
)


def find_means(*, fresh: bool = False) -> Means:
    """As tried once by this process, or now; blocks for some milliseconds, at worst for seconds."""
    if fresh:
        _remembered.cache_clear()
    return _remembered(child_environment().get("PATH", os.defpath))


@functools.cache
def _remembered(path: str) -> Means:
    return try_means(path)


def try_means(path: str) -> Means:
    """The best that works with the programs on this search path."""
    if sys.platform == "darwin":
        return _try_seatbelt()
    if sys.platform != "linux":
        return Means(reason=f"there is no box for {sys.platform}", fix="use Linux or macOS")
    program = shutil.which("bwrap", path=path) or ""
    found = _try_bubblewrap(program)
    held = limits.find_limits()
    if found is None:
        return Means(level="full", by="bubblewrap", program=program, limits=held)
    means = hindrances.judged(found, _try_landlock(), program=program, system=_distribution())
    return replace(means, limits=held)


def _try_bubblewrap(program: str) -> hindrances.Hindrance | None:
    if not program:
        return "missing"
    options = (*bubblewrap.NAMESPACES, bubblewrap.OWN_NETWORK, *MOUNTS)
    ended = _run([program, *options, "--", _true()])
    if ended.returncode == 0 and not ended.late:
        return None
    return "late" if ended.late else hindrances.hindrance_of(ended.stderr, _sysctls())


def _try_landlock() -> int:
    """The version that works, 0 where none does."""
    command = [sys.executable, "-IS", landlock.__file__, "--read", "/", "--", _true()]
    version = landlock.abi()
    return version if version and _run(command).returncode == 0 else 0


def _try_seatbelt() -> Means:
    ended = _run([seatbelt.PROGRAM, "-p", "(version 1)(allow default)", _true()])
    if ended.returncode == 0:
        program = seatbelt.PROGRAM
        return Means(level="files", by="seatbelt", program=program, reason=HELD_BY_SEATBELT)
    fix = "look whether another sandbox, such as a terminal's own, forbids it"
    return Means(reason=f"{seatbelt.PROGRAM} does not work on this macOS", fix=fix)


def _run(argv: Sequence[str]) -> PipelineEnd:
    [ended] = run_pipeline(argv, env={"PATH": os.defpath, "LC_ALL": "C"}, timeout=LONGEST)
    return ended


def _true() -> str:
    """By its whole path, so that nothing else can stand for it."""
    return shutil.which("true", path="/usr/bin:/bin:/run/current-system/sw/bin") or "true"


def _sysctls() -> Mapping[str, str]:
    found = {}
    for name in SYSCTLS:
        file = Path("/proc/sys", *name.split("."))
        found[name] = file.read_text("ascii").strip() if file.is_file() else ""
    return found


def _distribution() -> tuple[str, ...]:
    """Its own name first, then those it is like."""
    for file in (Path("/etc/os-release"), Path("/usr/lib/os-release")):
        if file.is_file():
            return hindrances.distribution(file.read_text("utf-8", "replace"))
    return ()
