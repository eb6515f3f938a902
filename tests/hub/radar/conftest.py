"""A hub with a repository whose files sessions can collide in."""

from __future__ import annotations

from tests.support.lines_hub import hub

__all__ = ["hub"]
