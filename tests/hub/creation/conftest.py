"""Hubs without a model, since what is tried here starts no agent: a module's, or a test's own."""

from __future__ import annotations

from tests.support.pool_hub import hub, lasting_hub, make_hub, pool_hub

__all__ = ["hub", "lasting_hub", "make_hub", "pool_hub"]
