"""A hub with programs in terminals as its agents."""

from __future__ import annotations

from tests.support.terminal_hub import hub, own_hub

__all__ = ["hub", "own_hub"]
