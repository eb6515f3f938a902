"""The first step of a creation: ask the remote for the newest base, within its time, not too
often, and once for all who wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.hub.core import Hub
from manyhands.hub.repos.pins import load_leads
from manyhands.model import events as e
from manyhands.model.clock import monotonic
from manyhands.model.session.session import Session
from manyhands.station.creation import start as station


@dataclass(frozen=True)
class FetchedBase:
    base: str = ""
    """The remote's branch that was asked for, or found to be its default."""
    error: str = ""
    at: float = float("-inf")


class Fetches:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._last: dict[tuple[str, str], FetchedBase] = {}
        self._running: dict[tuple[str, str], asyncio.Future[FetchedBase]] = {}

    def is_due(self, repo: str, base: str, every: float) -> bool:
        return monotonic() - self.last(repo, base).at >= every

    def last(self, repo: str, base: str) -> FetchedBase:
        return self._last.get((repo, base), FetchedBase())

    async def fetch(self, repo: str, base: str, seconds: float) -> FetchedBase:
        """Bring `base` up to date, or the default branch where `base` is empty; never raises for
        what the remote does."""
        key = (repo, base)
        running = self._running.get(key)
        if running is not None:
            return await asyncio.shield(running)
        running = self._running[key] = asyncio.get_running_loop().create_future()
        fetched = FetchedBase(base, "the fetch was cut off", monotonic())
        try:
            leads = await load_leads(self._hub, repo)
            found = await station.fetch_base(repo, base, leads, seconds)
            fetched = self._last[key] = FetchedBase(found.base, found.error, monotonic())
        finally:
            del self._running[key]
            running.set_result(fetched)
        return fetched


async def is_fetch_needed(hub: Hub, s: Session) -> bool:
    """Whether the base is a remote's, and the remote was not asked just now."""
    limits = hub.last_settings.workspaces
    if s.workspace.tip or not limits.fetch_seconds:
        return False
    remotes = await station.load_remotes(s.repo)
    if not remotes.has(s.workspace.base) and (s.workspace.base_given or remotes.main is None):
        return False
    asked = _asked(remotes, s)
    is_due = hub.part(Fetches).is_due(s.repo, asked, limits.fetch_every_seconds)
    return is_due or bool(hub.part(Fetches).last(s.repo, asked).error)


async def resolve_base(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """The base as the remote has it now; if it cannot be asked, as it is known here."""
    limits, fetches = hub.last_settings.workspaces, hub.part(Fetches)
    asked = _asked(await station.load_remotes(s.repo), s)
    fetched = fetches.last(s.repo, asked)
    if fetches.is_due(s.repo, asked, limits.fetch_every_seconds):
        fetched = await fetches.fetch(s.repo, asked, limits.fetch_seconds)
    follows = not s.workspace.base_given and not fetched.error
    found = await station.load_base(s.repo, fetched.base if follows else s.workspace.base)
    base, commit = found.name, found.commit
    events: list[e.AnyEvent] = []
    if fetched.error:
        text = (
            f"The remote could not be asked for the newest {base} ({fetched.error}): "
            f"started from the one known here, {commit[:12]}"
        )
        events.append(e.NoteMade(session=s.id, text=text))
    if (base, commit) != (s.workspace.base, s.workspace.base_commit):
        events.append(e.BaseResolved(session=s.id, base=base, base_commit=commit))
    return events


def _asked(remotes: station.Remotes, s: Session) -> str:
    """The remote's branch to ask for; empty for its default one, whatever that is called."""
    return s.workspace.base if remotes.has(s.workspace.base) else ""
