"""A hub, and eyes for all that must not change in the main checkout."""

from __future__ import annotations

from tests.support.guarded_hub import hub, lasting_hub, own_hub

__all__ = ["hub", "lasting_hub", "own_hub"]
