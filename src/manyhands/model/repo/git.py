"""Which git a machine has, and what was asked of it."""

from __future__ import annotations

import msgspec

from manyhands.model.clock import Instant


class GitVersion(msgspec.Struct, frozen=True):
    ok: bool
    detail: str
    """What it says of itself, or why it cannot."""
    fix: str = ""


class Trace(msgspec.Struct, frozen=True):
    """One git command that was run."""

    at: Instant
    argv: tuple[str, ...]
    cwd: str
    seconds: float
    returncode: int
