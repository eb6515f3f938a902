"""The first step of a creation: ask the remote for the newest base, within its time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.git.fetching import main_remote
from manyhands.git.ref_table import load_ref_table
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.session import Session
from manyhands.workspace.starting_point import is_remote, require_commit

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


async def is_fetch_needed(hub: Hub, s: Session) -> bool:
    """Whether the base is a remote's, and the remote was not asked just now."""
    limits = hub.last_settings.workspaces
    if s.in_place or s.adopted or s.tip or not limits.fetch_seconds:
        return False
    repo = Path(s.repo)
    if not is_remote(repo, s.base) and (s.base_given or main_remote(repo) is None):
        return False
    asked = _asked(repo, s)
    is_due = hub.fetches.is_due(s.repo, asked, limits.fetch_every_seconds)
    return is_due or bool(hub.fetches.last(s.repo, asked).error)


async def resolve_base(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """The base as the remote has it now; if it cannot be asked, as it is known here."""
    limits = hub.last_settings.workspaces
    repo = Path(s.repo)
    asked = _asked(repo, s)
    fetched = hub.fetches.last(s.repo, asked)
    if hub.fetches.is_due(s.repo, asked, limits.fetch_every_seconds):
        fetched = await hub.fetches.fetch(s.repo, asked, limits.fetch_seconds)
    table = await asyncio.to_thread(load_ref_table, repo)
    base = s.base
    if not s.base_given and not fetched.error:
        base = fetched.base or table.default_base
    commit = await asyncio.to_thread(require_commit, repo, table, base)
    events: list[e.AnyEvent] = []
    if fetched.error:
        text = (
            f"The remote could not be asked for the newest {base} ({fetched.error}): "
            f"started from the one known here, {commit[:12]}"
        )
        events.append(e.NoteMade(session=s.id, at=now(), text=text))
    if (base, commit) != (s.base, s.base_commit):
        events.append(e.BaseResolved(session=s.id, at=now(), base=base, base_commit=commit))
    return events


def _asked(repo: Path, s: Session) -> str:
    """The remote's branch to ask for; empty for its default one, whatever that is called."""
    return s.base if is_remote(repo, s.base) else ""
