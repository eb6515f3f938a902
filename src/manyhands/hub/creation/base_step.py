"""The first step of a creation: ask the remote for the newest base, within its time, not too
often, and once for all who wait for it."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.hub.core import Hub
from manyhands.hub.repos.fetches import Fetches
from manyhands.model import events as e
from manyhands.model.session.session import Session
from manyhands.station.bases import Remotes, load_remotes
from manyhands.station.creation import start as station


async def is_fetch_needed(hub: Hub, s: Session) -> bool:
    """Whether the base is a remote's, and the remote was not asked just now."""
    limits = hub.last_settings.workspaces
    if s.workspace.tip or not limits.fetch_seconds:
        return False
    remotes = await load_remotes(s.repo)
    if not remotes.has(s.workspace.base) and (s.workspace.base_given or remotes.main is None):
        return False
    asked = _asked(remotes, s)
    is_due = hub.part(Fetches).is_due(s.repo, asked, limits.fetch_every_seconds)
    return is_due or bool(hub.part(Fetches).last(s.repo, asked).error)


async def resolve_base(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """The base as the remote has it now; if it cannot be asked, as it is known here."""
    limits, fetches = hub.last_settings.workspaces, hub.part(Fetches)
    asked = _asked(await load_remotes(s.repo), s)
    fetched = fetches.last(s.repo, asked)
    if fetches.is_due(s.repo, asked, limits.fetch_every_seconds):
        fetched = await fetches.fetch(s.repo, asked, limits.fetch_seconds)
    follows = not s.workspace.base_given and not fetched.error
    found = await station.load_base(s.repo, fetched.base if follows else s.workspace.base)
    known = s.workspace
    events: list[e.AnyEvent] = []
    if fetched.error:
        text = (
            f"The remote could not be asked for the newest {found.name} ({fetched.error}): "
            f"started from the one known here, {found.commit[:12]}"
        )
        events.append(e.NoteMade(session=s.id, text=text))
    if (found.name, found.commit, found.tip) != (known.base, known.base_commit, known.base_tip):
        resolved = e.BaseResolved(
            session=s.id, base=found.name, base_commit=found.commit, base_tip=found.tip
        )
        events.append(resolved)
    return events


def _asked(remotes: Remotes, s: Session) -> str:
    """The remote's branch to ask for; empty for its default one, whatever that is called."""
    return s.workspace.base if remotes.has(s.workspace.base) else ""
