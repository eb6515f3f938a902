"""Where a twin lies, what must be there beside it, and what became of a sync, in plain values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from manyhands.model.ids import SessionId

Way = Literal["same", "in", "out", "diverged", "waits"]
"""Nothing to do, brought in, handed out, both moved apart, or one side is not ready yet."""


@dataclass(frozen=True)
class Twin:
    """One worktree and its twin."""

    worktree: Path
    twin: Path
    link: Path
    """What is seen in the place of the worktree's `.git` by whoever works with the twin."""
    session: SessionId
    branch: str
    """The session's own, which moves here when it moves there."""
    mirror: Path | None = None
    """What answers for the remotes there, see `mirror.make_mirror`."""

    @property
    def under(self) -> str:
        """Refs of ours about this twin."""
        return f"refs/manyhands/twins/{self.session}"

    @property
    def head(self) -> str:
        return f"refs/heads/{self.branch}"

    @property
    def pins(self) -> str:
        """Keeps what the twin borrows."""
        return f"{self.under}/pins"

    @property
    def synced(self) -> str:
        """The tip that both sides had last."""
        return f"{self.under}/synced"

    @property
    def staged(self) -> str:
        """Blobs that are staged there."""
        return f"{self.under}/staged"

    def beside(self, what: str) -> Path:
        """A file of the host's alone: the twin's directory is all that is seen of this folder."""
        return self.twin.with_name(f"{self.twin.name}.{what}")


@dataclass(frozen=True)
class TwinBinds:
    """Paths that git in the twin needs, the same inside and outside, beside twin and worktree."""

    objects: tuple[Path, ...] = ()
    """To be read only."""
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()


class Synced(msgspec.Struct, frozen=True, kw_only=True):
    """What happened."""

    way: Way = "same"
    branch: str = ""
    old: str = ""
    new: str = ""
    """Where the branch was on the side that followed, and where it is now."""
    kept: tuple[str, ...] = ()
    """Private refs that were set for what else is there."""
    refs: int = 0
    """The user's own refs that were brought up to date in the twin."""
    staged: int = 0
    """Paths that are staged on top of the branch."""
    operation: str = ""
    """What git is in the middle of there."""
    note: str = ""
    """A sentence, where a person should know of something."""
    commands: tuple[str, ...] = ()
    """Ways out; any one of them."""
