"""A hub with a repository, for looking into what is there."""

from __future__ import annotations

from tests.support.plain_hub import hub

__all__ = ["hub"]
