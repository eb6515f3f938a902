"""Who stands behind a process: those above it, and the marks that they were started with.

A keeper adopts what its agent's tools leave behind, so nothing gets out from under it by forking
twice; and what lost its parents still has its mark, unless it was started anew without one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from manyhands.config import KEEPER_MARK
from manyhands.process.identity import LINUX, PROC, variables_of

SESSION_MARK = "MANYHANDS_SESSION="
_MOST = 200
"""Generations; more are no lineage but a mistake."""


class _Holder(msgspec.Struct):
    """What a keeper writes into its lock."""

    pid: int = 0


def lineage(pid: int) -> Iterator[int]:
    """The process and those above it, as far as they live."""
    for _ in range(_MOST):
        if pid <= 0:
            return
        yield pid
        pid = _parent(pid)


def _parent(pid: int) -> int:
    if not LINUX:
        import psutil

        with suppress(psutil.Error):
            return int(psutil.Process(pid).ppid())
        return 0
    try:
        return int((PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def session_behind(
    pid: int, is_session: Callable[[str], bool], kept_by: Callable[[int], str]
) -> str:
    """The session for whose agent, setup or checks a process runs; empty for anybody else's.

    `is_session` knows the sessions of one home, `kept_by` which of them a keeper keeps: where
    homes are nested, the other one's sessions are people like any other.
    """
    for one in lineage(pid):
        found = kept_by(one) or next(filter(is_session, _marks(one)), "")
        if found:
            return found
    return ""


def kept_session(run: Path, pid: int) -> str:
    """The session whose keeper in this run directory the process is; empty where it is none."""
    if f"{KEEPER_MARK}=1" not in _variables(pid):
        return ""
    return next((lock.stem for lock in run.glob("*.lock") if _named_in(lock) == pid), "")


def _named_in(lock: Path) -> int:
    try:
        return msgspec.json.decode(lock.read_bytes(), type=_Holder).pid
    except (OSError, msgspec.MsgspecError):
        return 0


def _marks(pid: int) -> list[str]:
    known = _variables(pid)
    return [v.removeprefix(SESSION_MARK) for v in known if v.startswith(SESSION_MARK)]


def _variables(pid: int) -> set[str]:
    """None are seen of what has ended meanwhile, or lets nobody look."""
    try:
        return variables_of(pid)
    except Exception:  # noqa: BLE001 - each system has its own ways of saying no
        return set()


def program(pid: int) -> str:
    """What a person would call it."""
    if not LINUX:
        import psutil

        with suppress(psutil.Error):
            return str(psutil.Process(pid).name())
        return ""
    with suppress(OSError):
        return (PROC / str(pid) / "comm").read_text("utf-8", "backslashreplace").strip()
    return ""


def is_ours(pid: int) -> bool:
    """Whether it runs as this user, also where it lets nobody look into it."""
    with suppress(OSError, IndexError, ValueError):
        for line in (PROC / str(pid) / "status").read_text("utf-8", "replace").splitlines():
            if line.startswith("Uid:"):
                return int(line.split()[1]) == os.getuid()
    return False
