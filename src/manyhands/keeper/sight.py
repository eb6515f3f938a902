"""One look at a worktree: from the system's changes to how paths differ from the base.

Blocking and for one thread at a time. A few paths are compared one by one; whatever cannot
be told from single paths (a burst, changed ignore rules, a directory gone) needs a scan.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.git.diff import FileDiff, diff_worktree, shown
from manyhands.git.pathdiff import PathDiffer
from manyhands.keeper.notices import ADDED, Change, Notices, open_notices, require_watches
from manyhands.keeper.watch_plan import (
    WatchPlan,
    load_base_directories,
    load_left_out,
    make_plan,
    unreadable_directories,
)
from manyhands.model.ids import Oid

log = logging.getLogger(__name__)

BURST = 200
"""Changed paths from which on one scan is cheaper than looking at each."""
RULES = frozenset({".gitignore", ".gitattributes"})


@dataclass
class Seen:
    """What a batch of changes comes to."""

    files: list[tuple[str, FileDiff | None]] = field(default_factory=list)
    scan: bool = False
    replan: bool = False


class Sight:
    """`bells` is a directory of ours, see `Notices`."""

    def __init__(self, worktree: Path, base: Oid, bells: Path, *, polling: bool) -> None:
        self._worktree = worktree
        self._root = str(worktree)
        self._base = base
        self._bells = bells
        self._polling = polling
        self._differ = PathDiffer(worktree, base)
        self._base_directories = load_base_directories(worktree, base)
        self._plan, self.notices = self._open(load_left_out(worktree))
        self._burst = False

    def close(self) -> None:
        for notices in self.notices:
            notices.close()

    def _open(self, left_out: list[str]) -> tuple[WatchPlan, list[Notices]]:
        plan = make_plan(self._worktree, left_out)
        try:
            return plan, open_notices(plan, self._bells, polling=self._polling)
        except PermissionError:
            plan = make_plan(self._worktree, [*left_out, *unreadable_directories(self._worktree)])
            return plan, open_notices(plan, self._bells, polling=self._polling)

    def scan(self) -> list[FileDiff]:
        """The whole diff, by git."""
        return diff_worktree(self._worktree, self._base, patch=False, renames=False).files

    def is_crowded(self) -> bool:
        """Whether, after a burst, the plan would leave out something that is watched now."""
        if not self._burst:
            return False
        self._burst = False
        return make_plan(self._worktree, load_left_out(self._worktree)) != self._plan

    def examine(self, changes: Iterable[Change]) -> Seen:
        paths: set[str] = set()
        seen = Seen()
        appeared: Path | None = None
        for change, full in changes:
            path = full[len(self._root) + 1 :]
            if not path or ".git" in path.split("/"):
                continue
            paths.add(path)
            place = Path(full)
            if place.is_dir() and not place.is_symlink():
                if change == ADDED:
                    appeared = place
                    seen.replan |= place.parent in self._plan.flat
                    self._enter(place, paths)
            elif place.name in RULES or path in self._base_directories:
                seen.scan = True
        if appeared and not self._polling:
            require_watches(appeared)
        self._burst = len(paths) > BURST
        seen.scan |= self._burst
        if not seen.scan:
            seen.files = list(self._compare(paths))
        return seen

    def _enter(self, directory: Path, paths: set[str]) -> None:
        """A directory appeared: files may have come into it before it was watched."""
        for place, _, names in os.walk(directory):
            for name in names:
                if len(paths) > BURST:
                    return
                paths.add(f"{place}/{name}"[len(self._root) + 1 :])

    def _compare(self, paths: set[str]) -> Iterator[tuple[str, FileDiff | None]]:
        for path in sorted(paths):
            try:
                yield shown(os.fsencode(path)), self._differ.change(path)
            except OSError as error:
                log.info("%r could not be read: %s", path, error)
