"""A hub, and a repository whose origin is the loopback GitHub."""

from __future__ import annotations

from tests.support.forge.hub import description, forge, hub, place

__all__ = ["description", "forge", "hub", "place"]
