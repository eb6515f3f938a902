"""Claude Code's own record of a conversation, without which it cannot be resumed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from manyhands.model.clock import monotonic

PATIENCE_SECONDS = 3.0
STEP_SECONDS = 0.01


def find_transcript(config: Path, session: str) -> Path | None:
    return next((config / "projects").glob(f"*/{session}.jsonl"), None)


async def wait_for_transcript(config: Path, session: str) -> bool:
    """Whether the record is there; the program writes it shortly after its first request.

    Nothing tells of the moment, so the file is looked for, for a bounded time.
    """
    deadline = monotonic() + PATIENCE_SECONDS
    while find_transcript(config, session) is None:
        if monotonic() > deadline:
            return False
        await asyncio.sleep(STEP_SECONDS)
    return True
