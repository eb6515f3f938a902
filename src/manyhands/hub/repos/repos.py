"""Repositories: adding, listing and trusting them."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import PurePath

import msgspec
from msgspec.structs import replace

from manyhands.contract.repos import Bringing, RepoView
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.core import Hub
from manyhands.hub.core.views import repo_view
from manyhands.hub.repos.pins import changes, load_pins, shown_address
from manyhands.hub.repos.trust import load_bringing, trusted, with_others
from manyhands.model import events as e
from manyhands.model.state import Repo
from manyhands.station.repos import find_hindrance, find_repo, load_default_base


async def add_repo(hub: Hub, path: str) -> RepoView:
    return repo_view(await require_repo(hub, path))


async def repo_bringing(hub: Hub, path: str) -> Bringing:
    """What the repository could make us run, for a person who is asked to trust it."""
    repo = hub.state.repo(path)
    if repo is None:
        raise NotFound(f"no repository at {path!r} was added", hint="`manyhands repo add` adds it")
    found, pins = await load_bringing(repo), await load_pins(repo.path)
    return replace(
        found,
        digest=_whole(found, pins),
        remotes={name: shown_address(address) for name, address in pins.remotes.items()},
        moved=changes(repo, pins.remotes) if repo.trusted else (),
    )


async def trust_repo(hub: Hub, path: str, *, digest: str = "") -> RepoView:
    """Trust what it brings along now; with `digest`, only if that is what was looked at."""
    repo = await require_repo(hub, path)
    brought, pins = await load_bringing(repo), await load_pins(repo.path)
    if digest and digest != _whole(brought, pins):
        raise NotPossible(
            f"{repo.path} changed since it was looked at", hint="look again, then trust it"
        )
    approved = await asyncio.to_thread(trusted, hub.home, repo, brought.pieces, brought.digest)

    await hub.decide(lambda state: (*with_others(state, approved), pins))
    return repo_view(hub.state.repos[repo.path])


def _whole(brought: Bringing, pins: e.RemotesPinned) -> str:
    """What a person who trusts has looked at: content, and where it would go."""
    said = msgspec.json.encode([brought.digest, pins.remotes], order="deterministic")
    return hashlib.sha256(said).hexdigest()


def list_repos(hub: Hub) -> list[RepoView]:
    return [repo_view(r) for _, r in sorted(hub.state.repos.items())]


async def require_repo(hub: Hub, path: str) -> Repo:
    """The repository around `path`, added where it is new; a worktree stands for its repository."""
    if "\0" in path or not path:
        raise BadInput("a repository is named by its path")
    if not PurePath(path).is_absolute():
        raise BadInput(f"{path} is not an absolute path")
    found = await find_repo(path)
    known = hub.state.repo(found.main) if found else None
    # One that is trusted was looked at before.
    if not (known and known.trusted) and (why := await find_hindrance(path)):
        raise BadInput(why, hint="name another repository")
    if found is None:
        raise BadInput(f"{path} is no git repository", hint="`git init` makes one")
    top, base = found.main, await load_default_base(found.main)
    if known is None or known.default_base != base:
        await hub.record(e.RepoAdded(path=top, default_base=base))
    return hub.state.repos[top]
