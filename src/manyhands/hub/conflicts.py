"""Which sessions are in each other's way, and in that of their base, as the radar sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import NotPossible
from manyhands.git.board import Clash
from manyhands.hub.conflict_words import collision
from manyhands.hub.radar_sides import BASE
from manyhands.model.ids import SessionId

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


class ConflictView(msgspec.Struct, frozen=True, kw_only=True):
    a: SessionId
    b: str
    """The other session; the branch's name where it is the base."""
    base: bool
    paths: tuple[Clash, ...]
    first: SessionId
    """Who began there; empty where it is the base, or a mere overlap."""
    suggestion: str


async def conflicts(hub: Hub, *, overlaps: bool = False, fresh: bool = False) -> list[ConflictView]:
    """Pairs that would conflict; with `overlaps`, also those that merely touched one file."""
    if not hub.last_settings.radar.enabled:
        raise NotPossible("the radar is off", hint="set `enabled = true` in [radar] of the config")
    if fresh:
        await hub.radar.refresh()
    else:
        await hub.radar.looked.wait()
    found = [view for repo in hub.radar.sides.repos for view in _views(hub, repo)]
    return [v for v in found if overlaps or any(p.kind == "conflict" for p in v.paths)]


def _views(hub: Hub, repo: str) -> list[ConflictView]:
    found = []
    for (name, other), clashes in hub.radar.sides.repos[repo].found.items():
        s = hub.state.session(SessionId(name))
        if s is None or not clashes:
            continue
        base = other.removeprefix(BASE) if other.startswith(BASE) else ""
        known = collision(s, hub.state.session(SessionId(other)), base)
        view = ConflictView(
            a=s.id,
            b=base or other,
            base=bool(base),
            paths=clashes,
            first=known.first if known else SessionId(""),
            suggestion=known.suggestion if known else "",
        )
        found.append(view)
    return sorted(found, key=lambda view: (view.a, view.b))
