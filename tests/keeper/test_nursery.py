"""Keepers come quickly, cut off from whoever asked for them, and outlive them all."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import psutil
import pytest

from manyhands.keeper.nursery import NoKeeper, Nursery
from manyhands.model import clock, wire
from manyhands.process.identity import identify
from tests.keeper.conftest import named
from tests.keeper.hub_end import HubEnd
from tests.support.driver import eventually, gone

KIND = "terminal"
"""Of the agents that these keepers are for; what others need takes long to load."""


@pytest.fixture
def spec(spec: wire.KeeperSpec) -> wire.KeeperSpec:
    return msgspec.structs.replace(spec, agent=msgspec.structs.replace(spec.agent, kind=KIND))


@pytest.fixture(params=["fork", "spawn"])
async def nursery(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Nursery]:
    nursery = Nursery(
        tmp_path / "nursery.log", forks=request.param == "fork", likely=lambda: [KIND]
    )
    yield nursery
    await nursery.close()


class Born:
    """Keepers that a test asked for; they are ended with it."""

    def __init__(self) -> None:
        self.pids: set[int] = set()

    async def by(self, nursery: Nursery, spec: wire.KeeperSpec) -> int:
        pid = await nursery.keeper(spec)
        self.pids.add(pid)
        return pid


@pytest.fixture
async def born() -> AsyncIterator[Born]:
    born = Born()
    yield born
    processes = [psutil.Process(pid) for pid in born.pids if identify(pid)]
    for process in processes:
        process.terminate()
    for process in processes:
        assert await asyncio.to_thread(gone, process)


async def greet(spec: wire.KeeperSpec) -> wire.Welcome:
    hub = HubEnd(spec.socket)
    await hub.connect(spec.epoch)
    await hub.drop()
    assert hub.welcome is not None
    return hub.welcome


async def test_a_keeper_listens_when_it_is_handed_over(
    nursery: Nursery, spec: wire.KeeperSpec, born: Born
) -> None:
    pid = await born.by(nursery, spec)
    assert (await greet(spec)).pid == pid


async def test_a_keeper_inherits_nothing(
    nursery: Nursery, spec: wire.KeeperSpec, born: Born
) -> None:
    await nursery.start()
    first = await born.by(nursery, named(spec, "a"))
    pid = await born.by(nursery, named(spec, "b"))
    assert os.getsid(pid) == pid
    assert os.getsid(first) != os.getsid(pid)
    held = [str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()]
    assert not [name for name in held if name.startswith("pipe:")]
    inputs = [str(Path(f"/proc/{pid}/fd/{fd}").readlink()) for fd in (0, 1, 2)]
    assert inputs == ["/dev/null", spec.log, spec.log]
    ignored = int(
        next(
            line.split()[1]
            for line in Path(f"/proc/{pid}/status").read_text().splitlines()
            if line.startswith("SigIgn")
        ),
        16,
    )
    assert not ignored & (1 << (signal.SIGCHLD - 1))


async def test_a_killed_nursery_leaves_keepers_alive_and_comes_back(
    nursery: Nursery, spec: wire.KeeperSpec, born: Born
) -> None:
    pid = await born.by(nursery, named(spec, "a"))
    dead = nursery.pid
    os.kill(dead, signal.SIGKILL)
    assert (await greet(named(spec, "a"))).pid == pid
    other = await born.by(nursery, named(spec, "b"))
    assert nursery.pid != dead
    assert (await greet(named(spec, "a"))).pid == pid
    assert (await greet(named(spec, "b"))).pid == other


async def test_the_end_of_the_nursery_touches_no_keeper(
    tmp_path: Path, spec: wire.KeeperSpec, born: Born
) -> None:
    for how in ("fork", "spawn"):
        nursery = Nursery(tmp_path / "nursery.log", forks=how == "fork", likely=lambda: [KIND])
        pid = await born.by(nursery, named(spec, how))
        await nursery.close()
        assert (await greet(named(spec, how))).pid == pid


async def test_a_keeper_that_cannot_be_says_why(
    nursery: Nursery, spec: wire.KeeperSpec, born: Born
) -> None:
    with pytest.raises(NoKeeper, match="too long for a socket"):
        await nursery.keeper(msgspec.structs.replace(spec, socket="/tmp/" + "x" * 200))
    await born.by(nursery, spec)
    with pytest.raises(NoKeeper, match="has a keeper already"):
        await nursery.keeper(msgspec.structs.replace(spec, epoch=2))


async def test_asked_for_twice_it_is_the_same_keeper(
    nursery: Nursery, spec: wire.KeeperSpec, born: Born
) -> None:
    pid = await born.by(nursery, spec)
    assert await nursery.keeper(spec) == pid


async def test_what_agents_need_is_loaded_in_a_quiet_moment(tmp_path: Path) -> None:
    nursery = Nursery(tmp_path / "nursery.log", forks=True)
    await nursery.start()
    loaded = Path(f"/proc/{nursery.pid}/maps")
    await asyncio.to_thread(eventually, lambda: "pydantic_core" in loaded.read_text())
    await nursery.close()


async def test_twenty_at_once_do_not_wait_for_each_other(
    tmp_path: Path, spec: wire.KeeperSpec, born: Born
) -> None:
    nursery = Nursery(tmp_path / "nursery.log", forks=True)
    # The kind with the most to share, or not to.
    spec = msgspec.structs.replace(spec, agent=msgspec.structs.replace(spec.agent, kind="acp"))
    await born.by(nursery, spec)
    specs = [named(spec, f"k{n}") for n in range(20)]
    started = clock.monotonic()
    async with asyncio.TaskGroup() as tasks:
        for one in specs:
            tasks.create_task(born.by(nursery, one))
    seconds = clock.monotonic() - started
    assert len(born.pids) == 21
    assert seconds < 40.0
    unique = [psutil.Process(pid).memory_full_info().uss for pid in born.pids]
    assert max(unique) < 20 * 1024 * 1024
    await nursery.close()
