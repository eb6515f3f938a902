"""Where an agent may move without asking: its worktree, its scratch place, its own notes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Bounds:
    """`cwd` is where relative paths start; `notes` may be read, `plans` also written."""

    worktree: Path
    cwd: Path
    home: Path
    scratch: tuple[Path, ...] = ()
    plans: tuple[Path, ...] = ()
    notes: tuple[Path, ...] = ()

    def real(self, path: str) -> Path:
        """The file that is really meant: `~`, `..` and every symbolic link resolved."""
        expanded = str(self.home) + path[1:] if path == "~" or path.startswith("~/") else path
        return Path(os.path.realpath(self.cwd / expanded))

    def inside(self, path: str) -> bool:
        """In the worktree itself."""
        return _within(self.real(path), (self.worktree,))

    def writable(self, path: str) -> bool:
        return _within(self.real(path), (self.worktree, *self.scratch, *self.plans))

    def readable(self, path: str) -> bool:
        return self.writable(path) or _within(self.real(path), self.notes)

    def is_plan(self, path: str) -> bool:
        return _within(self.real(path), self.plans)

    def own(self, path: str) -> bool:
        """The agent's own: scratch and plans, no part of anybody's work."""
        return not self.inside(path) and self.writable(path)


def _within(path: Path, directories: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(os.path.realpath(directory)) for directory in directories)
