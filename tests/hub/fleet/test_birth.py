"""A keeper's birth, where an earlier hub's wish for one is fulfilled late."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec.structs import replace

from manyhands.config import Home
from manyhands.contract.sessions import New
from manyhands.hub.creation.new import new
from manyhands.hub.fleet.fleet import Fleet
from manyhands.hub.fleet.keepers import stop_keeper
from manyhands.hub.fleet.link import Links
from manyhands.hub.house import open_hub
from manyhands.hub.repos.repos import trust_repo
from manyhands.keeper.nursery import Nursery
from manyhands.model import wire
from tests.support.samples import commit_all, git, write


class LateNursery(Nursery):
    """Just before the first keeper is born, so is one that an earlier hub had asked for."""

    is_late = True

    async def keeper(self, spec: wire.KeeperSpec) -> int:
        if self.is_late:
            self.is_late = False
            await super().keeper(replace(spec, epoch=spec.epoch - 1))
        return await super().keeper(spec)


async def test_a_keeper_that_was_born_late_gives_way(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    write(repo, {"a.txt": "a\n"})
    commit_all(repo)
    home = Home(tmp_path / "home")
    home.root.mkdir()
    home.config.write_text("[workspaces]\npool = 0\n")
    async with asyncio.timeout(120), open_hub(home) as hub:
        hub.part(Links).nursery = LateNursery(log_path=home.root / "nursery.log")
        await trust_repo(hub, str(repo))
        made = await new(hub, New(repo=str(repo), name="Work", agent="claude", start=False))
        viewer = object()
        hub.part(Fleet).set_looks(viewer, frozenset({made.id}))
        await hub.until(lambda state: hub.part(Links).live.get(made.id))
        s = hub.state.session(made.id)
        assert s is not None
        assert (s.keeper.state, s.status, s.life.error) == ("live", "idle", "")
        hub.part(Fleet).set_looks(viewer, frozenset())
        await stop_keeper(hub, made.id)
