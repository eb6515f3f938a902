"""A repository on its forge, through a line that is open for one operation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from manyhands.forges.exchange import Exchange, Line
from manyhands.forges.forge import ForgeRepo
from manyhands.forges.place import ForgePlace
from manyhands.forges.token import token_hint
from manyhands.forges.wire import http_wire


@asynccontextmanager
async def open_repo(exchange: Exchange, place: ForgePlace, token: str) -> AsyncIterator[ForgeRepo]:
    """What a forge needs is loaded when it is first spoken to."""
    hint = token_hint(place.kind, place.host)
    if place.kind == "github":
        from manyhands.forges.github.line import github_line
        from manyhands.forges.github.repo import GitHub

        async with github_line(exchange, place.api, token, place.seconds, hint) as kit:
            yield GitHub(kit, place.slug)
        return
    word = "Bearer" if place.kind == "gitlab" else "token"
    headers = {"Authorization": f"{word} {token}"}
    async with http_wire(place.api, headers, place.seconds) as wire:
        if place.kind == "gitlab":
            from manyhands.forges.gitlab.repo import GitLab

            yield GitLab(Line(exchange, wire, place.api, token, hint), place.slug)
        else:
            from manyhands.forges.gitea.repo import Gitea

            # Servers give no more than 50 at once unless they are told otherwise.
            line = Line(exchange, wire, place.api, token, hint, size_word="limit", page_size=50)
            yield Gitea(line, place.slug)
