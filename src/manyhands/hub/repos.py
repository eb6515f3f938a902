"""Repositories: adding, listing and trusting them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.git import refs
from manyhands.hub.hub import Hub
from manyhands.hub.trust import Bringing, load_bringing, settled_elsewhere, trusted
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.state import Repo, State
from manyhands.model.views import RepoView, repo_view
from manyhands.store import Decision


async def add_repo(hub: Hub, path: str) -> RepoView:
    return repo_view(await require_repo(hub, path))


async def repo_bringing(hub: Hub, path: str) -> Bringing:
    """What the repository could make us run, for a person who is asked to trust it."""
    repo = hub.state.repo(path)
    if repo is None:
        raise NotFound(f"no repository at {path!r} was added", hint="`manyhands repo add` adds it")
    return await asyncio.to_thread(load_bringing, repo)


async def trust_repo(hub: Hub, path: str, *, digest: str = "") -> RepoView:
    """Trust what it brings along now; with `digest`, only if that is what was looked at."""
    repo = await require_repo(hub, path)
    brought = await asyncio.to_thread(load_bringing, repo)
    if digest and digest != brought.digest:
        raise NotPossible(
            f"{repo.path} changed since it was looked at", hint="look again, then trust it"
        )
    approved = await asyncio.to_thread(trusted, hub.home, repo, brought.pieces, brought.digest)

    def decide(state: State) -> Decision[None]:
        after = state.layer()
        after.apply(approved)
        return Decision((approved, *settled_elsewhere(after, repo.path, now())), None)

    await hub.write(decide)
    return repo_view(hub.state.repos[repo.path])


def list_repos(hub: Hub) -> list[RepoView]:
    return [repo_view(r) for _, r in sorted(hub.state.repos.items())]


async def require_repo(hub: Hub, path: str) -> Repo:
    """The repository around `path`, added where it is new; a worktree stands for its repository."""
    top, base = await asyncio.to_thread(_find, path)
    known = hub.state.repo(top)
    if known is None or known.default_base != base:
        added = e.RepoAdded(at=now(), path=top, default_base=base)
        await hub.write(lambda state: Decision((added,), None))
    return hub.state.repos[top]


def _find(path: str) -> tuple[str, str]:
    if "\0" in path or not path:
        raise BadInput("a repository is named by its path")
    place = Path(path)
    if not place.is_absolute():
        raise BadInput(f"{path} is not an absolute path")
    found = refs.find_repository(place)
    if found is None:
        raise BadInput(f"{path} is no git repository", hint="`git init` makes one")
    # A linked worktree, one of our own too, stands for the repository it belongs to.
    top = found.common_dir.parent if found.common_dir.name == ".git" else found.toplevel
    return str(top), refs.default_base(top) if refs.has_commits(top) else ""
