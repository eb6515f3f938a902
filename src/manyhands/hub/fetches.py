"""Fetching for new sessions: in bounded time, not too often, and once for all who wait for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import GitFailed
from manyhands.git.fetching import fetch_branch, fetch_default_branch, main_remote, remote_names
from manyhands.model.clock import monotonic


@dataclass(frozen=True)
class Fetched:
    base: str = ""
    """The remote's branch that was asked for, or found to be its default."""
    error: str = ""
    at: float = float("-inf")


class Fetches:
    def __init__(self) -> None:
        self._last: dict[tuple[str, str], Fetched] = {}
        self._running: dict[tuple[str, str], asyncio.Future[Fetched]] = {}

    def is_due(self, repo: str, base: str, every: float) -> bool:
        return monotonic() - self.last(repo, base).at >= every

    def last(self, repo: str, base: str) -> Fetched:
        return self._last.get((repo, base), Fetched())

    async def fetch(self, repo: str, base: str, seconds: float) -> Fetched:
        """Bring `base` up to date, or the default branch where `base` is empty; never raises for
        what the remote does."""
        key = (repo, base)
        running = self._running.get(key)
        if running is not None:
            return await asyncio.shield(running)
        running = self._running[key] = asyncio.get_running_loop().create_future()
        fetched = Fetched(base, "the fetch was cut off", monotonic())
        try:
            fetched = await asyncio.to_thread(_fetch, Path(repo), base, seconds)
            self._last[key] = fetched
        finally:
            del self._running[key]
            running.set_result(fetched)
        return fetched


def _fetch(repo: Path, base: str, seconds: float) -> Fetched:
    began = monotonic()
    try:
        remote, branch = _target(repo, base, seconds)
        if remote and branch:
            left = max(0.1, seconds - (monotonic() - began))
            fetch_branch(repo, remote, branch, left)
            return Fetched(f"{remote}/{branch}", "", monotonic())
    except GitFailed as error:
        said = error.stderr.strip().splitlines() or [error.message]
        return Fetched(base, said[0], monotonic())
    return Fetched(base, "", monotonic())


def _target(repo: Path, base: str, seconds: float) -> tuple[str, str]:
    for name in remote_names(repo):
        if base.startswith(f"{name}/"):
            return name, base.removeprefix(f"{name}/")
    remote = main_remote(repo)
    if remote is None or base:
        return "", ""
    return remote, fetch_default_branch(repo, remote, seconds) or ""
