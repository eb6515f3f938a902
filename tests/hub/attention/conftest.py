"""A hub that a module shares."""

from __future__ import annotations

from tests.support.shared_hub import shared

__all__ = ["shared"]
