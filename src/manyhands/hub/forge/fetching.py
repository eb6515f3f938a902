"""The forge's token, for fetching from where it is meant for."""

from __future__ import annotations

from urllib.parse import urlsplit

from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub
from manyhands.hub.forge.forge import load_access
from manyhands.hub.repos.pins import require_main_remote


async def load_tokens(hub: Hub, repo: str) -> dict[str, str]:
    """By remotes; none for one that is fetched from elsewhere than it is pushed to."""
    try:
        _, address = await require_main_remote(hub, repo)
        fetch, push = (urlsplit(url) for url in (address.fetch, address.push[0]))
        if (fetch.scheme, fetch.netloc) != (push.scheme, push.netloc) or "http" not in push.scheme:
            return {}
        access = await load_access(hub, repo)
        return {access.remote.name: access.push_token}
    except (ManyhandsError, OSError):
        return {}  # the user's own git may know a way in
