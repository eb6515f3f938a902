"""The sight of a worktree: from the paths that changed to how they differ from the base.

Blocking and for one thread at a time. A few paths are compared one by one; whatever cannot
be told from single paths (a burst, changed ignore rules, a directory gone) needs a scan.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from manyhands.errors import ManyhandsError
from manyhands.git.diff.diff import diff_worktree, may_hold_moves, scan_worktree, shown
from manyhands.git.diff.pathdiff import PathDiffer
from manyhands.git.runner import Git
from manyhands.git.snapshot.parts import display_diff
from manyhands.keeper.watch.drawing import Drawing, Drawn, Files
from manyhands.keeper.watch.notices import EVERYTHING, OpenNotices
from manyhands.model.ids import Oid
from manyhands.model.live import Patched
from manyhands.model.workspace.diff import FileDiff

log = logging.getLogger(__name__)

BURST = 200
"""Changed paths from which on one scan is cheaper than comparing each."""
MOST_DRAWN = 40
"""Changes found by a scan that are shown one by one; of more, whoever looks asks for the list."""
MOST_NAMED = 500
"""Paths that git is asked about by name; with more it has to look at everything."""
BIG = 50
"""Directories inside an ignored one from which on it is not worth watching."""
RULES = frozenset({".gitignore", ".gitattributes"})


class Sight:
    """Without a way to `watch`, only a scan tells what is new."""

    def __init__(self, worktree: Path, base: Oid, watch: OpenNotices | None) -> None:
        self._worktree = worktree
        self._base = base
        self._differ = PathDiffer(worktree, base)
        self._drawing = Drawing(worktree, base, self._differ)
        self._base_directories = load_base_directories(worktree, base)
        self._left_out = load_left_out(worktree)
        self.notices = watch(worktree, self._left_out) if watch else None
        self._stirred = False

    def close(self) -> None:
        if self.notices:
            self.notices.close()

    def scan(
        self, known: Files | None, made: Oid | None = None
    ) -> tuple[list[FileDiff], list[FileDiff], list[Patched]]:
        """The whole diff path by path, and as people see it where files may have been moved; by git
        or from a snapshot that was `made` just now. And of a few changes what there is to show:
        whoever looks at what was never told of loads it as a whole."""
        files, whole = self._load(made)
        return files, whole, self._draw_some(files, known)

    def _load(self, made: Oid | None) -> tuple[list[FileDiff], list[FileDiff]]:
        if made is None:
            return scan_worktree(self._worktree, self._base)
        files = display_diff(self._worktree, self._base, made)
        if not may_hold_moves(files):
            return files, []
        return files, display_diff(self._worktree, self._base, made, renames=True)

    def _draw_some(self, files: list[FileDiff], known: Files | None) -> list[Patched]:
        if not known:
            return []
        now = {file.path: file for file in files}
        paths = [path for path in {**known, **now} if known.get(path) != now.get(path)]
        if len(paths) > MOST_DRAWN or any("\\x" in path for path in paths):
            return []
        return self._draw(list(self._compare(set(paths), draws=True)), known)

    def find_moves(self, loose: Iterable[str]) -> list[FileDiff]:
        """Which of the added files were deleted elsewhere, as the diff that people see has it."""
        named = sorted(loose)
        is_whole = len(named) > MOST_NAMED or any("\\x" in path for path in named)
        paths = None if is_whole else [os.fsencode(path) for path in named]
        return diff_worktree(self._worktree, self._base, patch=False, paths=paths).files

    def is_outdated(self) -> bool:
        """Whether, after a burst or by new rules, something else should be left out than now is."""
        stirred, self._stirred = self._stirred, False
        return stirred and load_left_out(self._worktree) != self._left_out

    def examine(
        self, changes: set[str], known: Files | None = None
    ) -> tuple[list[Drawn], list[Patched]] | None:
        """How these paths are now; None where only a scan can tell. Where someone looks, `known` is
        what was told of before: what is news is drawn then."""
        rules_changed = any(path.rpartition("/")[2] in RULES for path in changes)
        many = len(changes) > BURST or EVERYTHING in changes
        self._stirred |= many or rules_changed
        if many or rules_changed or any(map(self._is_gone, changes & self._base_directories)):
            return None
        found = list(self._compare(changes, draws=known is not None))
        return found, self._draw(found, known)

    def _is_gone(self, directory: str) -> bool:
        place = self._worktree / directory
        return place.is_symlink() or not place.is_dir()

    def _draw(self, found: list[Drawn], known: Files | None) -> list[Patched]:
        """Whoever is shown nothing asks: what cannot be drawn must not keep the news back."""
        if known is None:
            self._drawing.begin()
            return []
        try:
            return self._drawing.frames(found, known)
        except (ManyhandsError, OSError, ValueError) as error:
            log.warning("a change could not be drawn: %s", error)
            return []

    def _compare(self, paths: Iterable[str], *, draws: bool) -> Iterator[Drawn]:
        for path in sorted(paths):
            try:
                now, patch = self._differ.draw(path) if draws else (self._differ.change(path), "")
                yield shown(os.fsencode(path)), now, patch
            except OSError as error:
                log.info("%r could not be read: %s", path, error)


def load_left_out(worktree: Path) -> frozenset[str]:
    """What is not worth watching: ignored directories full of others."""
    asked = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
    ignored = [os.fsdecode(r) for r in Git(worktree).run("ls-files", *asked).records]
    inside = [name.rstrip("/") for name in ignored if name.endswith("/")]
    return frozenset(name for name in inside if _is_big(worktree / name))


def _is_big(directory: Path) -> bool:
    count = 0
    for _, names, _ in os.walk(directory):
        count += len(names)
        if count >= BIG:
            return True
    return False


def load_base_directories(worktree: Path, base: Oid) -> frozenset[str]:
    """Every directory of the base commit: one of them gone means many files gone."""
    listing = Git(worktree).run("ls-tree", "-r", "-d", "-z", "--name-only", base)
    return frozenset(os.fsdecode(r) for r in listing.records)
