"""What the pool of spare worktrees needs next; pure, so that it can be told from any state."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.model.ids import Oid
from manyhands.model.state import Repo, Spare, State


@dataclass(frozen=True)
class Fill:
    commit: Oid


@dataclass(frozen=True)
class Refresh:
    spare: Spare
    commit: Oid


@dataclass(frozen=True)
class Drop:
    spare: Spare
    reason: str


Chore = Fill | Refresh | Drop


def next_chore(repo: Repo, wanted: int, base: Oid | None) -> Chore | None:
    """To be asked only while nobody works on a spare of the repository: one that is not ready then
    was left by a hub that died."""
    for spare in repo.spares:
        if not spare.ready:
            return Drop(spare, "its filling was cut off")
    if len(repo.spares) > wanted:
        return Drop(repo.spares[0], "fewer are wanted")
    if base is None:
        return None
    for spare in repo.spares:
        if spare.commit != base:
            return Refresh(spare, base)
    return Fill(base) if len(repo.spares) < wanted else None


def is_in_use(state: State, repo: Repo) -> bool:
    """Whether spares are worth their disk: people work in the repository, and it is trusted."""
    sessions = state.all_sessions().values()
    return repo.trusted and any(s.repo == repo.path and not s.archived for s in sessions)


def is_quiet(state: State) -> bool:
    """Whether no session waits for its worktree: filling must not be in anybody's way."""
    return not any(
        not (s.ready or s.error or s.archived or "worktree" in s.made)
        for s in state.all_sessions().values()
    )


def spare_to_lease(repo: Repo, commit: Oid) -> Spare | None:
    """The spare that suits a session at `commit` best."""
    ready = [spare for spare in repo.spares if spare.ready]
    return min(ready, key=lambda spare: spare.commit != commit, default=None)
