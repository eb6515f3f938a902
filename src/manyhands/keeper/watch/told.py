"""What the hub has been told of the diff, so that only news is told: one entry per path.

A moved file has two, since what it was made from is only known once git has compared them; in the
totals it counts as what git says of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from manyhands.model.events import AnyEvent, DiffChanged, NoteMade
from manyhands.model.workspace.diff import FileDiff

MOST = 1000
"""Paths told one by one after a whole scan; beyond, a note and the totals say the rest."""


class _Stored(msgspec.Struct):
    base: str
    files: list[FileDiff]
    moves: list[FileDiff] = []


class Told:
    def __init__(self, base: str) -> None:
        self._base = base
        self.files: dict[str, FileDiff] = {}
        self._sums = [0, 0, 0]
        """Added, removed, files."""
        self._moves: dict[str, FileDiff] = {}
        """By both paths of each."""

    @property
    def loose(self) -> set[str]:
        """The paths among which files may have been moved; none where all went one way."""
        added, deleted = self._of("added"), self._of("deleted")
        return added | deleted if added and deleted else set()

    def _of(self, status: str) -> set[str]:
        return {path for path, file in self.files.items() if file.status == status}

    def holds_below(self, directory: str) -> bool:
        prefix = directory + "/"
        return any(path.startswith(prefix) for path in self.files)

    def note(self, path: str, now: FileDiff | None) -> list[AnyEvent]:
        """The path is like this now; what is there to tell?"""
        before = self.files.get(path)
        if before == now:
            return []
        self._set(path, now)
        return [self._event(path, now)]

    def replace(self, files: Iterable[FileDiff]) -> list[AnyEvent]:
        """The whole diff is this now; what is there to tell?"""
        now = {file.path: file for file in files}
        changed = [p for p in {**self.files, **now} if self.files.get(p) != now.get(p)]
        for path in changed:
            self._set(path, now.get(path))
        told: list[AnyEvent] = [self._event(path, now.get(path)) for path in changed[:MOST]]
        if len(changed) > MOST:
            rest = len(changed) - MOST
            told.append(NoteMade(text=f"{rest} more files changed at once; the diff has them all"))
        return told

    def move(self, found: Iterable[FileDiff]) -> list[AnyEvent]:
        """These are the files that were moved; what is there to tell?"""
        moves = {file.path: file for file in found if file.old_path}
        before = {file.path: file for file in self._moves.values()}
        for file in before.values():
            self._unpair(file)
        for file in moves.values():
            self._pair(file)
        changed = [path for path in {**before, **moves} if before.get(path) != moves.get(path)]
        return [self._event(path, self.files.get(path)) for path in changed[:MOST]]

    def _pair(self, file: FileDiff) -> None:
        if file.old_path:
            self._moves[file.path] = self._moves[file.old_path] = file
            self._add(self._gain(file), 1)

    def _unpair(self, file: FileDiff) -> None:
        if file.old_path:
            self._add(self._gain(file), -1)
            del self._moves[file.path], self._moves[file.old_path]

    def _gain(self, file: FileDiff) -> tuple[int, int, int]:
        """What its being one file makes of the totals, as long as both paths are as they were."""
        new, old = self.files.get(file.path), self.files.get(file.old_path or "")
        if not (new and old and (new.status, old.status) == ("added", "deleted")):
            return 0, 0, 0
        return file.added - new.added, file.removed - old.removed, -1

    def _add(self, amounts: tuple[int, int, int], sign: int) -> None:
        for place, amount in enumerate(amounts):
            self._sums[place] += sign * amount

    def _set(self, path: str, now: FileDiff | None) -> None:
        moved = self._moves.get(path)
        if moved:
            self._add(self._gain(moved), -1)
        if before := self.files.pop(path, None):
            self._add((before.added, before.removed, 1), -1)
        if now:
            self.files[path] = now
            self._add((now.added, now.removed, 1), 1)
        if moved:
            self._add(self._gain(moved), 1)

    def _event(self, path: str, now: FileDiff | None) -> DiffChanged:
        moved = self._moves.get(path)
        added, removed, files = self._sums
        return DiffChanged(
            path=path,
            old_path=moved.old_path or "" if moved and moved.path == path else "",
            status=now.status if now else "unchanged",
            added=now.added if now else 0,
            removed=now.removed if now else 0,
            binary=bool(now and now.binary),
            mode=(now and now.new_mode) or "",
            oid=now.new_blob if now else "",
            total_added=added,
            total_removed=removed,
            total_files=files,
        )

    def load(self, place: Path) -> None:
        """Take over what an earlier keeper told. It is there only after an orderly end: a killed
        one may have told more than it stored, so then everything is told again."""
        try:
            stored = msgspec.json.decode(place.read_bytes(), type=_Stored)
            place.unlink()
        except (OSError, msgspec.MsgspecError):
            return
        if stored.base == self._base:
            for file in stored.files:
                self._set(file.path, file)
            for file in stored.moves:
                self._pair(file)

    def save(self, place: Path) -> None:
        moves = {file.path: file for file in self._moves.values()}
        stored = _Stored(self._base, list(self.files.values()), list(moves.values()))
        place.write_bytes(msgspec.json.encode(stored))
