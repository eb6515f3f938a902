"""Whoever follows a kind of event learns of each of them, and of nothing else."""

from __future__ import annotations

from pathlib import Path

from manyhands.config import Home
from manyhands.hub.core.hub import Hub, Reactor
from manyhands.hub.house import REACTORS, open_hub
from manyhands.model import events as e
from manyhands.store import Batch


async def test_a_follower_gets_each_event_of_its_kind_in_order_and_no_other(tmp_path: Path) -> None:
    async with open_hub(Home(tmp_path / "home")) as hub:
        added: list[e.RepoAdded] = []
        all_that_came: list[e.Event] = []
        hub.on(e.RepoAdded, added.append)
        for kind in (e.RepoAdded, e.RuleAdded):
            hub.on(kind, all_that_came.append)
        first, rule = e.RepoAdded(path="/a"), e.RuleAdded(path="/a", tool="Bash")
        await hub.record(first, rule, e.RuleRemoved(path="/a", tool="Bash"))
        await hub.record(e.RepoAdded(path="/b"))
        assert [event.path for event in added] == ["/a", "/b"]
        assert [type(event) for event in all_that_came] == [e.RepoAdded, e.RuleAdded, e.RepoAdded]


async def test_a_follower_sees_the_state_that_its_event_made(tmp_path: Path) -> None:
    async with open_hub(Home(tmp_path / "home")) as hub:
        known: list[bool] = []
        hub.on(e.RepoAdded, lambda event: known.append(event.path in hub.state.repos))
        await hub.record(e.RepoAdded(path="/a"))
        assert known == [True]


async def test_a_reactor_of_all_commits_gets_whole_batches(tmp_path: Path) -> None:
    class Everything(Reactor):
        def __init__(self, hub: Hub) -> None:
            super().__init__(hub)
            self.seen: list[e.Fact] = []

        def committed(self, batch: Batch) -> None:
            self.seen += batch.events

    async with open_hub(Home(tmp_path / "home")) as hub:
        everything = hub.part(Everything)
        hub.store.subscribe(lambda batch: hub.tell(batch, [everything]))
        await hub.record(e.RepoAdded(path="/a"), e.RuleAdded(path="/a", tool="Bash"))
        assert [type(event) for event in everything.seen] == [e.RepoAdded, e.RuleAdded]


async def test_an_event_that_names_no_moment_is_of_the_one_in_which_it_is_recorded(
    tmp_path: Path,
) -> None:
    async with open_hub(Home(tmp_path / "home")) as hub:
        seen: list[e.RepoAdded] = []
        hub.on(e.RepoAdded, seen.append)
        await hub.record(e.RepoAdded(path="/a"), e.RepoAdded(path="/b", at="2020-01-01T00:00:00Z"))
        assert seen[0].at > "2026"
        assert seen[1].at == "2020-01-01T00:00:00Z"


async def test_once_the_hub_ends_nothing_new_is_begun(tmp_path: Path) -> None:
    begun: list[str] = []

    async def work() -> None:
        begun.append("work")

    async with open_hub(Home(tmp_path / "home")) as hub:
        assert all(isinstance(hub.part(kind), Reactor) for kind in REACTORS)
    hub.spawn(work())
    assert begun == []
