"""Where credentials may go: to where the remotes led when a person trusted the repository.

Whoever works in a repository can point its remotes elsewhere. What was pinned stays until a person
trusts the repository again; until then nothing of the user's is sent. A repository that was trusted
before pins were kept is pinned once, when the hub starts, as it is then: that is where everything
was sent until now.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from shlex import quote

from manyhands.contract.hub import Finding
from manyhands.errors import ManyhandsError, NotFound, NotTrusted
from manyhands.hub.core import Hub, Reactor
from manyhands.model import events as e
from manyhands.model.repo.remotes import RemoteAddress
from manyhands.model.state import Repo
from manyhands.station.remotes import Leads, MainRemote, load_addresses, load_main_remote


class Pins(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self.settled = asyncio.Event()
        """Set once everything from before has its pin."""

    async def run(self) -> None:
        unpinned = [r for r in self._hub.state.repos.values() if r.trusted and r.remotes is None]
        try:
            for repo in unpinned:
                await self._pin(repo)
        finally:
            self.settled.set()

    async def _pin(self, repo: Repo) -> None:
        try:
            await self._hub.record(await load_pins(repo.path))
        except (ManyhandsError, OSError):
            return  # it is not there, and whoever comes to need it is asked to trust it


async def load_pins(repo: str) -> e.RemotesPinned:
    found = await load_addresses(repo)
    return e.RemotesPinned(path=repo, remotes={name: a.place for name, a in found.items()})


async def require_main_remote(hub: Hub, path: str, worktree: str = "") -> tuple[str, RemoteAddress]:
    """The remote that is pushed to, if it still leads where it did; seen from both places."""
    repo = await _require_trusted(hub, path)
    found = await load_main_remote(path)
    if not found.name:
        raise NotFound(
            f"{path} has no remote called origin to push to",
            hint="`git remote add origin ADDRESS` there first, "
            f"then `manyhands repo trust {quote(path)}`",
        )
    _require_same(repo, found, _way(repo))
    if worktree:
        # Its own config is nothing that trust in the repository could be about.
        way = f"take it back: `git -C {quote(worktree)} config --worktree --edit`"
        _require_same(repo, await load_main_remote(path, worktree), way)
    assert found.address is not None
    return found.name, found.address


async def load_leads(hub: Hub, path: str) -> Leads:
    """Where each remote may be fetched from, and why another may not."""
    repo = await _require_trusted(hub, path)
    now = await load_addresses(path)
    moved = {name: _change(repo, name, now[name]) for name in _moved(repo, now)}
    return Leads({n: a.fetch for n, a in now.items() if n not in moved}, moved)


async def check_remotes(hub: Hub) -> list[Finding]:
    """For the doctor: remotes that lead elsewhere than they did."""
    found: list[Finding] = []
    for repo in [r for r in hub.state.repos.values() if r.trusted]:
        # One that is not there at all is told of by others.
        with suppress(ManyhandsError, OSError):
            said = changes(repo, await load_addresses(repo.path))
            found += [Finding("remote", False, f"{repo.path}: {s}", _way(repo)) for s in said]
    return found


def changes(repo: Repo, now: dict[str, RemoteAddress]) -> tuple[str, ...]:
    """A sentence for each remote that leads elsewhere than it did."""
    return tuple(_change(repo, name, now[name]) for name in _moved(repo, now))


def shown_address(address: RemoteAddress) -> str:
    push = _place(address, is_push=True)
    fetch = _place(address, is_push=False)
    return fetch if fetch == push else f"{fetch}, pushes to {push}"


def _moved(repo: Repo, now: dict[str, RemoteAddress]) -> list[str]:
    return [name for name, a in now.items() if (repo.remotes or {}).get(name) != a.place]


async def _require_trusted(hub: Hub, path: str) -> Repo:
    await hub.part(Pins).settled.wait()
    repo = hub.state.repo(path)
    if repo is None or not repo.trusted:
        raise NotTrusted(
            f"{path} is not trusted, so no token or key of yours is used for its remote",
            hint=f"`manyhands repo trust {quote(path)}`",
        )
    return repo


def _require_same(repo: Repo, found: MainRemote, way: str) -> None:
    if found.address is None or (repo.remotes or {}).get(found.name) != found.address.place:
        said = _change(repo, found.name, found.address)
        raise NotTrusted(f"{said}: nothing was sent", hint=way)


def _change(repo: Repo, name: str, now: RemoteAddress | None) -> str:
    before = (repo.remotes or {}).get(name)
    is_push = bool(now and before and now.place.push != before.push)
    leads = f"now points to {_place(now, is_push)}" if now else "has no address any more"
    if repo.remotes is None:
        return f"{name} {leads}, and it is not on record where it led when this was trusted"
    was = f"was {_place(before, is_push)}" if before else "was not there"
    return f"{name} {leads}; it {was} when you trusted this repository"


def _place(address: RemoteAddress, is_push: bool) -> str:
    place = address.place
    return " and ".join(place.push) if is_push else place.fetch


def _way(repo: Repo) -> str:
    return f"if that is right, `manyhands repo trust {quote(repo.path)}`; else point it back"
