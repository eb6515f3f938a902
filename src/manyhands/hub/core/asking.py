"""Who asks for what is being done; nobody does where the hub acts by itself."""

from __future__ import annotations

from contextvars import ContextVar

from manyhands.model.envelope import Asker

asking: ContextVar[Asker | None] = ContextVar("asking", default=None)
"""Set where a command comes in, and seen by all that is done before its answer."""
