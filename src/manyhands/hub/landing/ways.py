"""Where a session's work can go from here, and what is on its way: what a person chooses from."""

from __future__ import annotations

from manyhands.contract.landing import LandingWays, LastMerge, OpenUpdate
from manyhands.errors import ManyhandsError
from manyhands.forges.place import place_of
from manyhands.forges.remote import parse_remote
from manyhands.hub.core import Hub, require_session, worktree_of
from manyhands.hub.landing.desk import is_at_work
from manyhands.hub.repos.bases import Bases, base_view
from manyhands.model.ids import Oid
from manyhands.station.landing.merge import is_part_of
from manyhands.station.landing.ways import load_apart
from manyhands.station.remotes import load_main_remote


async def landing_ways(hub: Hub, ref: str) -> LandingWays:
    s = require_session(hub.state, ref)
    at, update, last = worktree_of(hub, s), s.merges.update, s.merges.last
    base = await hub.part(Bases).now(s.repo, s.workspace.base)
    apart = await load_apart(at, base.tip, (base.local, base.upstream))
    if last is not None and not await is_part_of(at, last.commit, Oid(f"refs/heads/{last.into}")):
        last = None  # it was taken back
    return LandingWays(
        session=s.id,
        forge=await _forge(hub, s.repo, s.workspace.worktree),
        base=base_view(base),
        head=apart.head,
        uncommitted=apart.uncommitted,
        at_work=is_at_work(s),
        incoming=apart.incoming,
        outgoing=apart.outgoing,
        update=OpenUpdate(base=update.base, method=update.method, conflicts=update.conflicts)
        if update
        else None,
        merged=LastMerge(into=last.into, commit=last.commit, tip=last.tip, at=last.at)
        if last
        else None,
    )


async def _forge(hub: Hub, repo: str, worktree: str) -> str:
    """The repository that the main remote names on a forge, if it leads to one."""
    found = await load_main_remote(repo, worktree)
    if found.address is None or not found.address.push:
        return ""
    try:
        place = place_of(parse_remote(found.name, found.address.push[0]), hub.last_settings)
    except ManyhandsError:
        return ""
    return place.slug
