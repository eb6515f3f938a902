"""For the doctor: forges of trusted repositories that there is no token for."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from manyhands.contract.hub import Finding
from manyhands.errors import ForgeDenied, ManyhandsError
from manyhands.forges.place import ForgePlace, place_of
from manyhands.forges.remote import parse_remote
from manyhands.forges.token import require_token
from manyhands.hub.core import Hub
from manyhands.hub.repos.pins import require_main_remote


async def check_tokens(hub: Hub) -> list[Finding]:
    """Each forge once; it matters where a pull request is to be followed there."""
    kept: dict[ForgePlace, list[str]] = {}
    for repo in [r.path for r in hub.state.repos.values() if r.trusted]:
        # One with no remote, no forge, or one that leads elsewhere is told of by others.
        with suppress(ManyhandsError, OSError):
            kept.setdefault(await _place(hub, repo), []).append(repo)
    found: list[Finding] = []
    followed = _followed(hub)
    for place, repos in kept.items():
        try:
            await asyncio.to_thread(require_token, place.token, place.kind, place.host)
        except ForgeDenied as error:
            what = f"{error.message}, where {', '.join(repos)} is kept"
            found.append(Finding("forge", followed.isdisjoint(repos), what, error.hint))
    return found


def _followed(hub: Hub) -> set[str]:
    """Repositories with a pull request of a session's that is still open."""
    sessions = hub.state.all_sessions().values()
    open_ones = (s for s in sessions if s.landing.pr and s.landing.pr.state in ("draft", "open"))
    return {s.repo for s in open_ones if not s.life.archived}


async def _place(hub: Hub, repo: str) -> ForgePlace:
    """Whichever of its repositories it is."""
    name, address = await require_main_remote(hub, repo)
    return replace(place_of(parse_remote(name, address.push[0]), hub.settings), slug="")
