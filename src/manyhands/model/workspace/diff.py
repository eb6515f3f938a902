"""A diff by file, and its patch."""

from __future__ import annotations

import msgspec

from manyhands.model.events import FileStatus
from manyhands.model.ids import Oid


class FileDiff(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    old_path: str | None = None
    """Where a renamed file was before."""
    status: FileStatus
    added: int = 0
    removed: int = 0
    binary: bool = False
    old_mode: str | None = None
    new_mode: str | None = None
    omitted: bool = False
    """Too large: listed, but not in the patch."""
    old_blob: Oid = Oid("")
    new_blob: Oid = Oid("")
    """The contents' names as git objects; empty where there is none."""


class Diff(msgspec.Struct, frozen=True, kw_only=True):
    files: list[FileDiff]
    patch: str = ""

    @property
    def added(self) -> int:
        return sum(file.added for file in self.files)

    @property
    def removed(self) -> int:
        return sum(file.removed for file in self.files)
