"""Repositories: adding, listing and trusting them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from manyhands.errors import BadInput
from manyhands.git import refs
from manyhands.hub.hub import Hub
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.state import Repo
from manyhands.model.views import RepoView, repo_view
from manyhands.store import Decision


async def add_repo(hub: Hub, path: str) -> RepoView:
    return repo_view(await require_repo(hub, path))


async def trust_repo(hub: Hub, path: str) -> RepoView:
    repo = await require_repo(hub, path)
    await hub.record(e.RepoTrusted(at=now(), path=repo.path))
    return repo_view(hub.state.repos[repo.path])


def list_repos(hub: Hub) -> list[RepoView]:
    return [repo_view(r) for _, r in sorted(hub.state.repos.items())]


async def known_or_added(hub: Hub, path: str) -> Repo:
    """As `require_repo`, without asking git about a repository that is known and in its place."""
    known = hub.state.repo(path)
    if known is not None and Path(path, ".git").exists():
        return known
    return await require_repo(hub, path)


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
