"""Where the remotes of a repository lead, by git's own reading of all its config."""

from __future__ import annotations

from pathlib import Path

import msgspec

from manyhands.git.outside import fetching
from manyhands.model.repo.remotes import RemoteAddress
from manyhands.station.threads import in_thread


class MainRemote(msgspec.Struct, frozen=True):
    """The remote that a repository is pushed to; nameless where there is none."""

    name: str = ""
    address: RemoteAddress | None = None


class Leads(msgspec.Struct, frozen=True):
    """Addresses by the remotes' names, and of those that must not be used the reason."""

    addresses: dict[str, str]
    barred: dict[str, str]


@in_thread
def load_addresses(repo: str) -> dict[str, RemoteAddress]:
    return fetching.load_addresses(Path(repo))


@in_thread
def load_main_remote(repo: str, worktree: str = "") -> MainRemote:
    """As it is seen from the worktree, where one is named: it may have a config of its own."""
    name = fetching.main_remote(Path(repo))
    if name is None:
        return MainRemote()
    where = Path(worktree) if worktree and Path(worktree).is_dir() else Path(repo)
    return MainRemote(name, fetching.load_address(where, name))
