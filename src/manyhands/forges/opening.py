"""A repository on its forge, through a line that is open for one operation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from manyhands.forges.exchange import Exchange
from manyhands.forges.forge import ForgeRepo

GITHUB_HINT = "`gh auth login`, or see [github] in config.toml"


@asynccontextmanager
async def open_repo(
    exchange: Exchange, slug: str, api: str, token: str, seconds: float
) -> AsyncIterator[ForgeRepo]:
    from manyhands.forges.github.line import github_line
    from manyhands.forges.github.repo import GitHub

    async with github_line(exchange, api, token, seconds, GITHUB_HINT) as line:
        yield GitHub(line, slug)
