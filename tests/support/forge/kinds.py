"""The three kinds of forges, each on the loopback, to be tried alike."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from manyhands.forges.exchange import Exchange
from manyhands.forges.forge import ForgeRepo
from manyhands.forges.opening import open_repo
from manyhands.forges.place import ForgePlace, Kind
from tests.support.forge.gitea_server import GiteaDescription, GiteaServer
from tests.support.forge.github_description import Description
from tests.support.forge.github_server import GitHubServer
from tests.support.forge.gitlab_server import GitLabServer
from tests.support.forge.server import TOKEN, ForgeServer

KINDS = [
    pytest.param(kind, marks=pytest.mark.xdist_group(f"forge-{kind}")) for kind in get_args(Kind)
]
"""Parameters of a fixture; what is tried on one kind shares its server, and its hub."""


@cache
def github_description() -> Description:
    made = Description()
    made.graphql  # noqa: B018 - built before anyone waits for an answer
    return made


@cache
def gitea_description() -> GiteaDescription:
    return GiteaDescription()


def server_of(kind: Kind, root: Path) -> ForgeServer:
    if kind == "github":
        return GitHubServer(root, github_description())
    return GitLabServer(root) if kind == "gitlab" else GiteaServer(root, gitea_description())


@asynccontextmanager
async def spoken_to(
    kind: Kind, server: ForgeServer, *, slug: str = "", token: str = TOKEN, seconds: float = 30.0
) -> AsyncIterator[ForgeRepo]:
    """The repository as our client has it."""
    where: Any = slug or server.state.slug
    place = ForgePlace(kind, f"{server.url}{server.prefix}", where, "", seconds)
    async with open_repo(Exchange(), place, token) as repo:
        yield repo
