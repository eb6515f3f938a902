"""What those who look are shown of a change: each file's whole patch, as the diff has it.

A file that was added may be one that was deleted elsewhere, under a new name: only git tells, so
where there are both kinds and one of them changed, git compares those.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from manyhands.git.diff.diff import diff_worktree, sections
from manyhands.git.diff.pathdiff import PathDiffer
from manyhands.model.ids import Oid, SessionId
from manyhands.model.live import Patched
from manyhands.model.workspace.diff import FileDiff

MOST_PATCH = 256 << 10
"""Characters of one patch; a larger one is asked for by whoever wants to see it."""
MOST_LOOSE = 100
"""Added and deleted files among which moved ones are looked for at every change."""

MOST_UNSEEN = 4 << 20
"""Characters that wait for a hub which does not read; beyond, readers ask for the whole diff."""

NOBODY = SessionId("")

Drawn = tuple[str, FileDiff | None, str]
"""A path, how it differs from the base, and its patch."""
Files = Mapping[str, FileDiff]


class Drawing:
    """For one thread at a time."""

    def __init__(self, worktree: Path, base: Oid, differ: PathDiffer) -> None:
        self._worktree = worktree
        self._base = base
        self._differ = differ
        self._moved: dict[str, FileDiff] = {}
        """What was shown of added and deleted files."""

    def begin(self) -> None:
        """Whoever looks from now on has not been shown anything."""
        self._moved = {}

    def frames(self, seen: Iterable[Drawn], known: Files) -> list[Patched]:
        """Of what was seen, all that is news to those who were told of `known`."""
        news = {
            path: (now or FileDiff(path=path, status="unchanged"), patch)
            for path, now, patch in seen
            if known.get(path) != now
        }
        after = {**known, **{path: file for path, (file, _) in news.items()}}
        before, now = _loose(known), _loose(after)
        stirred = news.keys() & (before | now)
        if not stirred or not (_has_both(known, before) or _has_both(after, now)):
            stirred, now = set(), set()
        moved: list[tuple[FileDiff, str]] = []
        if len(now) > MOST_LOOSE or any("\\x" in path for path in now):
            moved = [(news[path][0], "") for path in stirred]
        elif stirred:
            moved = self._find_moved(now)
            stirred = now
        plain = [news[path] for path in news if path not in stirred]
        for file, _ in plain:
            self._moved.pop(file.path, None)
        return [self._frame(file, patch) for file, patch in [*plain, *moved]]

    def _find_moved(self, loose: Iterable[str]) -> list[tuple[FileDiff, str]]:
        """Those of them that are not as they were shown."""
        paths = [os.fsencode(path) for path in sorted(loose)]
        drawn = list(sections(diff_worktree(self._worktree, self._base, paths=paths)))
        gone = [file.old_path for file, _ in drawn if file.old_path]
        drawn += [(FileDiff(path=path, status="unchanged"), "") for path in gone]
        before, self._moved = self._moved, {file.path: file for file, _ in drawn}
        return [(file, patch) for file, patch in drawn if before.get(file.path) != file]

    def _frame(self, file: FileDiff, patch: str) -> Patched:
        frame = Patched(session=NOBODY, base=self._base, file=file)
        if file.status == "unchanged":
            return frame
        cut = not patch or len(patch) > MOST_PATCH
        generated = self._differ.is_generated(file.path)
        shown = "" if cut else patch
        return msgspec.structs.replace(frame, patch=shown, cut=cut, generated=generated)


def _loose(files: Files) -> set[str]:
    return {path for path, file in files.items() if file.status in ("added", "deleted")}


def _has_both(files: Files, loose: Iterable[str]) -> bool:
    return len({files[path].status for path in loose}) == 2


class Patches:
    """Those that were not shown yet: of each file the newest, and only that; `wanted` while someone
    looks."""

    def __init__(self, clean: Callable[[str], str] = str) -> None:
        """`clean` takes out what nobody may be shown."""
        self._clean = clean
        self.wanted = False
        self._unseen: dict[str, Patched] = {}
        self._number = 0

    def want(self, on: bool) -> None:
        self.wanted = on
        self._unseen.clear()

    def lay(self, frames: Iterable[Patched]) -> None:
        if not self.wanted:
            return
        for frame in frames:
            self._unseen.pop(frame.file.path, None)
            patch = self._clean(frame.patch)
            self._unseen[frame.file.path] = msgspec.structs.replace(frame, patch=patch)
        if sum(len(frame.patch) for frame in self._unseen.values()) > MOST_UNSEEN:
            self._unseen.clear()
            self._number += 1

    def unseen(self) -> list[Patched]:
        """What came since the last look, numbered as it leaves."""
        frames = []
        for frame in self._unseen.values():
            self._number += 1
            frames.append(msgspec.structs.replace(frame, number=self._number))
        self._unseen.clear()
        return frames
