"""In which order sessions land cheapest: so that as few as possible have to be updated first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from manyhands.contract.landing import LandingTurn
from manyhands.hub.core import Hub, require_session
from manyhands.hub.radar.precedence import is_stuck
from manyhands.hub.radar.radar import Radar, require_surveyed
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session

Conflicts = Mapping[SessionId, Collection[SessionId]]
"""With whom each is in conflict."""


def cheapest(
    asked: Sequence[SessionId],
    conflicts: Conflicts,
    stuck: Collection[SessionId] = (),
    below: Mapping[SessionId, SessionId] | None = None,
) -> list[SessionId]:
    """Next is always the one that the fewest others have to be updated for, of those that can land
    as they are; among equals, the one that was asked for first. The `stuck` come last. Whoever
    builds upon another (`below`) comes after it."""
    rest, held, order = list(dict.fromkeys(asked)), set(stuck), []
    while rest:
        ready = [s for s in rest if (below or {}).get(s) not in rest] or rest
        able = [s for s in ready if s not in held] or ready
        met = {s: set(conflicts.get(s, ())) & set(rest) for s in able}
        chosen = min(able, key=lambda s: (len(met[s] - held), len(met[s]), rest.index(s)))
        rest.remove(chosen)
        held |= met[chosen]
        order.append(chosen)
    return order


async def cheapest_order(
    hub: Hub, sessions: Sequence[SessionId], *, fresh: bool = False
) -> list[SessionId]:
    """By what the radar knows; `fresh` has it look anew. As they came where it is off."""
    if not hub.last_settings.radar.enabled:
        return list(dict.fromkeys(sessions))
    await require_surveyed(hub, fresh=fresh)
    known = [s for id in sessions if (s := hub.state.session(id)) is not None]
    stuck = {s.id for s in known if is_stuck(s)}
    return cheapest(sessions, hub.part(Radar).in_conflict(), stuck, _below(known))


def _below(sessions: Sequence[Session]) -> dict[SessionId, SessionId]:
    branches = {(s.repo, s.workspace.branch): s.id for s in sessions if s.workspace.branch}
    found = ((s.id, branches.get((s.repo, s.workspace.base))) for s in sessions)
    return {id: other for id, other in found if other and other != id}


async def landing_order(
    hub: Hub, sessions: Sequence[str] = (), *, fresh: bool = False
) -> list[LandingTurn]:
    """Of the sessions named, or of all that are in conflict with somebody."""
    await require_surveyed(hub, fresh=fresh)
    conflicts = hub.part(Radar).in_conflict()
    asked = [require_session(hub.state, ref).id for ref in sessions] or sorted(
        conflicts, key=lambda id: (require_session(hub.state, id).created_at, id)
    )
    order = await cheapest_order(hub, asked)
    return [
        LandingTurn(
            session=id,
            after=tuple(o for o in order[:place] if o in conflicts.get(id, ())),
            stuck=is_stuck(require_session(hub.state, id)),
        )
        for place, id in enumerate(order)
    ]
