"""What code of a session, which its agent may have written, is run in by the hub."""

from __future__ import annotations

from manyhands.errors import NotPossible
from manyhands.hub.core.boxes import Boxes
from manyhands.hub.core.hub import Hub
from manyhands.hub.core.names import agent_environment, worktree_of
from manyhands.model.box import BoxTerms
from manyhands.model.session.session import Session
from manyhands.model.surroundings import Surroundings
from manyhands.station.boxing import has_twin, load_surroundings, set_at_rest, settle, ways_out


async def box_terms(hub: Hub, s: Session) -> BoxTerms:
    boxes = hub.part(Boxes)
    limits, remotes = hub.last_settings.box.limits, _remotes(hub, s.repo)
    return BoxTerms(await boxes.wish(s), boxes.means, limits, remotes)


def _remotes(hub: Hub, path: str) -> tuple[str, ...]:
    """Where they led when a person trusted the repository."""
    repo = hub.state.repo(path)
    places = (repo.remotes or {}).values() if repo else ()
    return tuple(place.fetch for place in places)


def machine_terms(hub: Hub, repo: str) -> BoxTerms:
    """For what is no session's yet."""
    box = hub.last_settings.box
    return BoxTerms(box.wish, hub.part(Boxes).means, box.limits, _remotes(hub, repo))


async def agent_surroundings(hub: Hub, s: Session) -> Surroundings:
    """Its environment, and its box, ready to be run in."""
    env, terms = await agent_environment(hub, s), await box_terms(hub, s)
    return await load_surroundings(hub.home, worktree_of(hub, s), env, terms)


async def settle_twin(hub: Hub, s: Session, *, leaving: bool = False) -> None:
    """Before anything is made of what the session committed, and after its branch was moved here:
    both sides are one. Raises where they went apart, with the way out, unless the session is
    `leaving`: then everything of both is kept as it is."""
    at = worktree_of(hub, s)
    if not await has_twin(at):
        return
    env, terms = await agent_environment(hub, s), await box_terms(hub, s)
    done = await settle(hub.home, at, env, terms, everything=leaving)
    if done.way == "diverged" and not leaving:
        raise NotPossible(done.note, hint=ways_out(done))


async def rest_twin(hub: Hub, s: Session) -> None:
    """After its files, index and branch were put back here: git in the box is in the middle of
    nothing any more, and follows."""
    at = worktree_of(hub, s)
    if await has_twin(at):
        await set_at_rest(at, await agent_surroundings(hub, s))
        await settle_twin(hub, s)
