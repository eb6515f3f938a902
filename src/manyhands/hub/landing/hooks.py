"""Hooks of a session's worktree: run as the agent, and only what a person has approved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manyhands.errors import NotTrusted
from manyhands.hub.core import Hub, worktree_of
from manyhands.hub.repos.trust import question, trust_item
from manyhands.model.repo.runnable import Runnable
from manyhands.model.session.session import Session
from manyhands.station.landing import hooks as station
from manyhands.station.repos import load_in_worktree


async def require_trusted_commit(hub: Hub, s: Session) -> None:
    filters = await station.load_filters(worktree_of(hub, s))
    await _require_trusted(hub, s, station.COMMIT, "committed", filters)


async def require_trusted_push(hub: Hub, s: Session) -> None:
    await _require_trusted(hub, s, station.PUSH, "pushed")


async def require_trusted_filters(hub: Hub, s: Session, done: str) -> None:
    await _require_approved(hub, s, await station.load_filters(worktree_of(hub, s)), done)


async def _require_trusted(
    hub: Hub, s: Session, names: Sequence[str], done: str, more: Sequence[Runnable] = ()
) -> None:
    """Raises, and asks the person, where something would run that nobody approved."""
    at = worktree_of(hub, s)
    found = [*more, *await station.load_hooks(at, names)]
    if len(found) > len(more):
        found += [p for p in await load_in_worktree(at) if station.is_of_hooks(p.path)]
    await _require_approved(hub, s, {piece.digest: piece for piece in found}.values(), done)


async def _require_approved(hub: Hub, s: Session, pieces: Iterable[Runnable], done: str) -> None:
    item = await trust_item(hub, s, pieces)
    if item is None:
        return
    await hub.decide(lambda state: question(state, s, item))
    raise NotTrusted(
        f"nothing was {done}: {item.summary}",
        hint=f"look at it and answer: `manyhands answer {s.slug} --option trust`; then again",
    )
