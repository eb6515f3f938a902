"""Writing beside a collector that spares nothing, such as `git gc --prune=now`.

It looks which objects have names and takes the others, those too that were written meanwhile and
have one by now. Left so, a state could not be brought back, and no later `git gc` would work. So
whoever names what it has just written looks whether a collector came by, and then whether all of it
is still there. What has to be written again is written while git lets no collector begin.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git import refs
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

PATIENCE_SECONDS = 20.0
LOOK_SECONDS = 0.02


class Collector:
    """Any one that runs in this repository, or comes from now on."""

    def __init__(self, repo: Path) -> None:
        self._repo, common = repo, refs.common_dir(repo)
        self._note, self._packs = common / "gc.pid", common / "objects" / "pack"
        self._ran, self._packed = self._runs(), self._last_packed()

    def spared(self, made: Oid) -> bool:
        """Whether everything of it is there, now that it has a name."""
        return not self.came_by() or is_whole(self._repo, made)

    def came_by(self) -> bool:
        """Returns when it has ended, or does not end."""
        came = self._ran or self._runs() or self._last_packed() != self._packed
        _await(lambda: not self._runs())
        return came

    @contextmanager
    def kept_out(self) -> Iterator[None]:
        """By git's own lock: one that would begin meanwhile says that another runs already."""
        taken = _await(self._take_turn)
        try:
            yield
        finally:
            if taken:
                self._note.unlink(missing_ok=True)

    def _take_turn(self) -> bool:
        lock = self._note.with_name(f"{self._note.name}.lock")
        try:
            lock.touch(0o644, exist_ok=False)
        except FileExistsError:
            return False
        taken = False
        try:
            if not self._runs():
                lock.write_text(f"{os.getpid()} {socket.gethostname()}")
                lock.rename(self._note)
                taken = True
        finally:
            if not taken:
                lock.unlink()  # left behind, it would keep every later one out
        return taken

    def _runs(self) -> bool:
        """By git's own note; a killed one leaves it behind."""
        try:
            pid, host = self._note.read_text().split()
            return host == socket.gethostname() and psutil.pid_exists(int(pid))
        except (OSError, ValueError):
            return False

    def _last_packed(self) -> int:
        """Each one packs first what it does not take."""
        try:
            return self._packs.stat().st_mtime_ns
        except FileNotFoundError:
            return 0


def made_whole(repo: Path, make: Callable[[bool], Oid]) -> Oid:
    """What `make` has written and named, with everything in it. Where a collector took some of it,
    it is made anew: `make(True)` relies on nothing that was there before."""
    collector = Collector(repo)
    try:
        made = make(False)
        if collector.spared(made):
            return made
    except ManyhandsError:
        if not collector.came_by():
            raise
    with collector.kept_out():
        made = make(True)
    if not is_whole(repo, made):
        raise NotPossible(
            f"some of what was written in {repo} is gone", hint="`git fsck` tells what"
        )
    return made


def is_whole(repo: Path, made: Oid) -> bool:
    """Whether nothing of it is missing, beside what branches, tags and remotes hold."""
    held = ("--not", "--branches", "--tags", "--remotes")
    argv = ("rev-list", "--objects", "--quiet", "--exclude-promisor-objects", made, *held)
    return Git(repo).run(*argv, check=False).returncode == 0


def _await(condition: Callable[[], bool]) -> bool:
    """Whether it comes about before long; nobody tells of it."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not (met := condition()) and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    return met
