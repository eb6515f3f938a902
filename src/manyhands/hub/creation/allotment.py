"""How many spare worktrees each repository is to have, within what all of them may use on disk.

Where people work comes first, and then whatever was trusted last and waits for its first session.
"""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.config import Workspaces
from manyhands.model.state import Repo, State

GB = 1 << 30


def allotted(state: State, limits: Workspaces) -> Mapping[str, int]:
    """By repository. One of unknown size is allowed until it has been made once."""
    left, found = limits.pool_gb * GB, {}
    for repo in _by_worth(state):
        most = limits.pool if _sessions(state, repo, living=True) else 1
        if not is_awaited(state, repo):
            most = len(repo.spares)  # they are there, and may be of use again
        size, count = spare_size(repo), 0
        while count < min(most, limits.pool) and left > 0 and size <= left:
            left, count = left - size, count + 1
        found[repo.path] = count
    return found


def is_awaited(state: State, repo: Repo) -> bool:
    """Whether a session may be asked for soon: people work in it, or it was only just trusted."""
    has_past = bool(_sessions(state, repo, living=False))
    return repo.trusted and bool(_sessions(state, repo, living=True) or not has_past)


def spare_size(repo: Repo) -> int:
    """Bytes of one, by the last that was filled."""
    return max((spare.bytes for spare in repo.spares if spare.ready), default=repo.spare_bytes)


def _by_worth(state: State) -> list[Repo]:
    """The newest of those at work first: on record they are in the order of their adding."""
    repos = reversed(state.all_repos().values())
    return sorted(repos, key=lambda repo: not _sessions(state, repo, living=True))


def _sessions(state: State, repo: Repo, *, living: bool) -> int:
    every = state.all_sessions().values()
    return sum(s.repo == repo.path and not (living and s.life.archived) for s in every)
