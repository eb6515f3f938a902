"""Where an agent may move without asking: its worktree, its scratch place, its own notes."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from manyhands.agents.permission.guarantees import NO_GUARANTEES, Guarantees

INSTALLED = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/opt/homebrew")
"""Programs and what comes with them: everybody may look at these, and nobody's work lies there."""
GUARDED = frozenset({".git", ".claude", ".mcp.json", ".manyhands", ".manyhands.toml"})
"""Inside the worktree, and yet a way to change what runs, and who is asked about it."""
_IGNORABLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""Some file systems pass these by in names."""
_NOWHERE = Path("/\ufffd")


@dataclass(frozen=True)
class Bounds:
    """`cwd` is where relative paths start; `notes` may be read, `plans` also written."""

    worktree: Path
    cwd: Path
    home: Path
    scratch: tuple[Path, ...] = ()
    plans: tuple[Path, ...] = ()
    notes: tuple[Path, ...] = ()
    box: Guarantees = NO_GUARANTEES

    def real(self, path: str) -> Path:
        """The file that is really meant: `~`, `..`, addresses and every symbolic link resolved."""
        expanded = str(self.home) + path[1:] if path == "~" or path.startswith("~/") else path
        if expanded.lower().startswith("file:"):
            expanded = unquote(re.sub(r"^file:(?://[^/]*)?", "", expanded, flags=re.IGNORECASE))
        if "\0" in expanded:
            return _NOWHERE
        return Path(os.path.realpath(self.cwd / expanded))

    def holder(self, path: str) -> str:
        """Where a name lies, if it is a link: whoever removes it changes that directory alone."""
        bare = "\0" not in path and not path.endswith("/")
        return str(Path(path).parent) if bare and (self.cwd / path).is_symlink() else path

    def inside(self, path: str) -> bool:
        """In the worktree itself."""
        return _within(self.real(path), (self.worktree,))

    def writable(self, path: str) -> bool:
        return _within(self.real(path), (self.worktree, *self.scratch, *self.plans))

    def readable(self, path: str) -> bool:
        real = self.real(path)
        mine = (self.worktree, *self.scratch, *self.plans, *self.notes)
        return _within(real, mine) or (_is_installed(real) and not _within(real, (self.home,)))

    def is_plan(self, path: str) -> bool:
        return _within(self.real(path), self.plans)

    def own(self, path: str) -> bool:
        """The agent's own: scratch and plans, no part of anybody's work."""
        return not self.inside(path) and self.writable(path)

    def guarded(self, path: str) -> str:
        """The part of a path inside the worktree that decides what runs there, if it has one."""
        real, top = self.real(path), os.path.realpath(self.worktree)
        if not real.is_relative_to(top):
            return ""
        parts = real.relative_to(top).parts
        return next((part for part in parts if _plain(part) in GUARDED), "")


def _plain(name: str) -> str:
    """As a file system may take it that knows no case, no composed and no invisible letters."""
    return unicodedata.normalize("NFKC", _IGNORABLE.sub("", name)).casefold().rstrip(". ")


def _is_installed(path: Path) -> bool:
    return str(path).startswith(tuple(f"{place}/" for place in INSTALLED)) or str(path) in INSTALLED


def _within(path: Path, directories: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(os.path.realpath(directory)) for directory in directories)
