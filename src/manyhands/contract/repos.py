"""Repositories: added, trusted, and what they bring along."""

from __future__ import annotations

import msgspec

from manyhands.model.repo.runnable import Runnable
from manyhands.model.state import Spare


class RepoView(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    trusted: bool
    default_base: str
    spares: tuple[Spare, ...] = ()


class RepoPath(msgspec.Struct, forbid_unknown_fields=True):
    path: str


class Trusting(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    digest: str = ""
    """As `runnable` told it: refuses where the content is another by now."""


class Bringing(msgspec.Struct, frozen=True):
    """What a repository brings along; `digest` names exactly this content."""

    digest: str
    pieces: tuple[Runnable, ...]
    new: tuple[str, ...]
    """Paths of pieces that nobody has approved yet."""
    remotes: dict[str, str] = {}
    """Where each remote leads, which trust pins: tokens and keys go nowhere else."""
    moved: tuple[str, ...] = ()
    """Those that led elsewhere when it was trusted, or were not there, in a sentence each."""
