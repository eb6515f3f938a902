"""The forge of a repository: its remote, its API, and an open line with the user's token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from manyhands.forges.exchange import Exchange
from manyhands.forges.forge import ForgeRepo
from manyhands.forges.opening import open_repo
from manyhands.forges.place import ForgePlace, place_of
from manyhands.forges.remote import Remote, parse_remote
from manyhands.forges.token import require_token, token_hint
from manyhands.hub.core import Hub
from manyhands.hub.repos.pins import require_main_remote
from manyhands.model.repo.remotes import RemoteAddress


class ForgeLines:
    """One exchange with all forges."""

    def __init__(self, hub: Hub) -> None:
        self.exchange = Exchange()


@dataclass(frozen=True, kw_only=True)
class ForgeAccess:
    """What the forge of a repository is reached with, before anything is asked of it."""

    remote: Remote
    address: RemoteAddress
    """Where the remote led when the repository was trusted, and leads now."""
    place: ForgePlace
    token: str

    @property
    def token_hint(self) -> str:
        return token_hint(self.place.kind, self.place.host)

    @property
    def push_token(self) -> str:
        """For git, where it speaks HTTP to the very host that the token is for."""
        here = self.remote.host.rpartition(":")[0] or self.remote.host
        same = self.place.host in (here, f"api.{here}")
        return self.token if self.remote.over_http and same else ""


@dataclass(frozen=True, kw_only=True)
class Forge(ForgeAccess):
    repo: ForgeRepo
    """The repository that the remote names."""


async def load_access(hub: Hub, repo: str, worktree: str = "") -> ForgeAccess:
    """Only where the remote leads to where it did when a person trusted the repository."""
    name, address = await require_main_remote(hub, repo, worktree)
    remote = parse_remote(name, address.push[0])
    place = place_of(remote, hub.settings)
    token = await asyncio.to_thread(require_token, place.token, place.kind, place.host)
    return ForgeAccess(remote=remote, address=address, place=place, token=token)


@asynccontextmanager
async def open_forge(hub: Hub, repo: str, worktree: str = "") -> AsyncIterator[Forge]:
    access = await load_access(hub, repo, worktree)
    async with open_repo(hub.part(ForgeLines).exchange, access.place, access.token) as opened:
        yield Forge(**vars(access), repo=opened)
