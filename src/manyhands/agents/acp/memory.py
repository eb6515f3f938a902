"""What is known of an agent from its earlier processes: its models, and what it has spent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout


class Memory:
    """A directory of the agent's name; without one nothing is remembered."""

    def __init__(self, directory: str) -> None:
        self._directory = Path(directory) if directory else None

    @asynccontextmanager
    async def alone(self, seconds: float) -> AsyncIterator[None]:
        """While no other process of ours starts this agent; after so long all the same."""
        if self._directory is None:
            yield
            return
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(self._directory / "start.lock", timeout=seconds, thread_local=False)
        with suppress(Timeout):
            await asyncio.to_thread(lock.acquire)
        try:
            yield
        finally:
            lock.release()

    def sums(self, session: str) -> Path | None:
        """Where the sums of one of its sessions are kept."""
        if self._directory is None:
            return None
        return self._directory / "spent" / f"{re.sub(r'[^A-Za-z0-9_.-]', '-', session)}.json"

    def models(self) -> tuple[str, ...]:
        try:
            text = (self._directory / "models.json").read_bytes() if self._directory else b"[]"
            return msgspec.json.decode(text, type=tuple[str, ...])
        except (OSError, msgspec.MsgspecError):
            return ()

    def set_models(self, models: tuple[str, ...]) -> None:
        if self._directory is None or not models:
            return
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._directory / "models.json").write_bytes(msgspec.json.encode(models))
