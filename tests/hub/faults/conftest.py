"""Beside the hub of all: one that a module shares, and one with more configuration."""

from __future__ import annotations

from tests.support.shared_hub import configured, shared

__all__ = ["configured", "shared"]
