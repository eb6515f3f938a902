"""The trackers of a repository: its own forge, and those that the user's config names."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import PurePath

import msgspec
from msgspec.structs import replace

from manyhands.config import ForgeConfig, Settings
from manyhands.contract.landing import TrackerView
from manyhands.errors import BadInput, NotFound
from manyhands.forges.forge import ForgeRepo
from manyhands.forges.opening import open_repo
from manyhands.forges.place import ForgePlace, place_of
from manyhands.forges.remote import Remote, parse_remote
from manyhands.forges.token import require_token
from manyhands.hub.core import Hub
from manyhands.hub.forge.forge import ForgeLines, open_forge
from manyhands.model.landing.tracker_config import TrackerConfig
from manyhands.trackers.forge_issues import ForgeIssues
from manyhands.trackers.jira import Jira
from manyhands.trackers.line import tracker_line
from manyhands.trackers.linear import ADDRESS, Linear
from manyhands.trackers.task_list import TaskList
from manyhands.trackers.tracker import Tracker

OWN = "forge"
"""What the repository's own forge is called where a name is asked for."""
ON_FORGES = ("github", "gitlab", "gitea")
SITES = {"github": "https://github.com", "gitlab": "https://gitlab.com"}


def configured(hub: Hub, repo: str) -> dict[str, TrackerConfig]:
    """By name, those that are for this repository."""
    here = PurePath(repo)
    return {
        name: config
        for name, config in hub.last_settings.trackers.items()
        if not config.repos or any(PurePath(path) == here for path in config.repos)
    }


def is_own(config: TrackerConfig) -> bool:
    """Whether it only says what may be done on the repository's own forge."""
    return config.kind in ON_FORGES and not config.project


def own_config(hub: Hub, repo: str) -> TrackerConfig | None:
    return next(filter(is_own, configured(hub, repo).values()), None)


def require_config(hub: Hub, repo: str, name: str) -> TrackerConfig | None:
    """None for the repository's own forge of which nothing is said."""
    known = configured(hub, repo)
    if name in known:
        return known[name]
    if name in ("", OWN):
        return own_config(hub, repo)
    names = ", ".join([*known, OWN])
    raise NotFound(f"there is no tracker {name!r} for {repo}", hint=f"known are: {names}")


def canonical(hub: Hub, repo: str, name: str) -> str:
    """The name under which a session keeps it: empty for the repository's own forge."""
    config = require_config(hub, repo, name)
    return "" if config is None or is_own(config) else name


def may_write(hub: Hub, repo: str, name: str) -> bool:
    try:
        config = require_config(hub, repo, name)
    except NotFound:
        return False
    return config is not None and config.write and config.kind != "tasks"


def list_trackers(hub: Hub, repo: str) -> list[TrackerView]:
    """The repository's own forge first, whether or not it has one."""
    known = configured(hub, repo)
    own = own_config(hub, repo)
    first = TrackerView(name=OWN, kind="forge", project="", write=bool(own and own.write))
    return [first, *(_view(n, c) for n, c in known.items() if not is_own(c))]


def _view(name: str, config: TrackerConfig) -> TrackerView:
    project = config.team or config.project or config.file
    write = config.write and config.kind != "tasks"
    return TrackerView(name=name, kind=config.kind, project=project, write=write)


@asynccontextmanager
async def open_tracker(hub: Hub, repo: str, name: str) -> AsyncIterator[Tracker]:
    """For one operation, with the user's token."""
    config = require_config(hub, repo, name)
    if config is None or is_own(config):
        begun, reviewed = (config.in_progress, config.in_review) if config else ("", "")
        async with open_forge(hub, repo) as forge:
            yield ForgeIssues(forge.repo, begun, reviewed)
    elif config.kind == "tasks":
        yield TaskList(repo, config.file)
    elif config.kind in ON_FORGES:
        async with _open_repo(hub, name, config) as opened:
            yield ForgeIssues(opened, config.in_progress, config.in_review)
    else:
        async with _open_service(hub, name, config) as opened:
            yield opened


@asynccontextmanager
async def _open_repo(hub: Hub, name: str, config: TrackerConfig) -> AsyncIterator[ForgeRepo]:
    """A repository that no remote leads to: only where the user's own config says."""
    site = config.url or SITES.get(config.kind, "")
    if not site:
        raise BadInput(f"it is not said where the forge of [trackers.{name}] is", hint="url = …")
    place = _place(parse_remote(name, f"{site.rstrip('/')}/{config.project}"), config, hub.settings)
    token = await asyncio.to_thread(require_token, place.token, place.kind, place.host)
    async with open_repo(hub.part(ForgeLines).exchange, place, token) as opened:
        yield opened


def _place(remote: Remote, config: TrackerConfig, settings: Settings) -> ForgePlace:
    found = place_of(remote, settings)
    if found.kind != config.kind:
        own = msgspec.convert({"kind": config.kind}, ForgeConfig)
        found = place_of(remote, replace(settings, forges={remote.host: own}))
    token, seconds = config.token or found.token, config.timeout_seconds
    return dataclasses.replace(found, token=token, seconds=seconds)


@asynccontextmanager
async def _open_service(hub: Hub, name: str, config: TrackerConfig) -> AsyncIterator[Tracker]:
    hint = f'[trackers.{name}] token = "env:NAME" (or keyring:, file:, command:) in config.toml'
    reference = config.token_reference
    token = await asyncio.to_thread(require_token, reference, config.kind, name, hint)
    exchange, seconds = hub.part(ForgeLines).exchange, config.timeout_seconds
    if config.kind == "linear":
        headers = {"Authorization": token}
        async with tracker_line(exchange, config.url or ADDRESS, headers, seconds, hint) as line:
            yield Linear(line, config.team.upper())
        return
    if not config.url:
        raise BadInput(
            f"it is not said where the Jira of [trackers.{name}] is",
            hint='url = "https://NAME.atlassian.net"',
        )
    headers = {"Authorization": _authorisation(config.user, token)}
    async with tracker_line(exchange, config.url, headers, seconds, hint) as line:
        yield Jira(
            line,
            line.api,
            config.project.upper(),
            config.query,
            config.api,
            config.issue_type,
        )


def _authorisation(user: str, token: str) -> str:
    """Jira Cloud knows a token by its user, a server by itself."""
    if not user:
        return f"Bearer {token}"
    return "Basic " + base64.b64encode(f"{user}:{token}".encode()).decode()
