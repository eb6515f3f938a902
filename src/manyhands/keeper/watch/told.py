"""What the hub has been told of the diff, so that only news is told: one entry per path."""

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


class Told:
    def __init__(self, base: str) -> None:
        self._base = base
        self.files: dict[str, FileDiff] = {}
        self._added = 0
        self._removed = 0

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

    def _set(self, path: str, now: FileDiff | None) -> None:
        before = self.files.pop(path, None)
        if before:
            self._added -= before.added
            self._removed -= before.removed
        if now:
            self.files[path] = now
            self._added += now.added
            self._removed += now.removed

    def _event(self, path: str, now: FileDiff | None) -> DiffChanged:
        return DiffChanged(
            path=path,
            status=now.status if now else "unchanged",
            added=now.added if now else 0,
            removed=now.removed if now else 0,
            binary=bool(now and now.binary),
            mode=(now and now.new_mode) or "",
            oid=now.new_blob if now else "",
            total_added=self._added,
            total_removed=self._removed,
            total_files=len(self.files),
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

    def save(self, place: Path) -> None:
        stored = _Stored(self._base, list(self.files.values()))
        place.write_bytes(msgspec.json.encode(stored))
