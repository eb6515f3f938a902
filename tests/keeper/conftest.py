"""A real keeper process on a real worktree, and the hub's end of its socket."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest

from manyhands.model.ids import SessionId
from manyhands.model.wire import AgentSpec, KeeperSpec, Look
from tests.keeper import scripted
from tests.keeper.hub_end import PATIENCE, HubEnd
from tests.keeper.worktree import make_worktree

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def run_dir() -> Iterator[Path]:
    """Short, because socket paths must be."""
    place = Path(tempfile.mkdtemp(prefix="mhk-"))
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def spec(tmp_path: Path, run_dir: Path) -> KeeperSpec:
    worktree, base = make_worktree(tmp_path)
    return KeeperSpec(
        session=SessionId(f"s{os.getpid()}x{run_dir.name[4:]}"),
        epoch=1,
        socket=str(run_dir / "s1.sock"),
        lock=str(run_dir / "s1.lock"),
        spool=str(tmp_path / "spool"),
        worktree=str(worktree),
        base_commit=base,
        repo=str(tmp_path / "repo"),
        agent=AgentSpec(name="scripted", kind="acp"),
        log=str(tmp_path / "keeper.log"),
        linger=60.0,
    )


def named(spec: KeeperSpec, name: str) -> KeeperSpec:
    """The keeper of another session beside it."""
    run = Path(spec.socket).parent
    return msgspec.structs.replace(
        spec,
        session=SessionId(f"{spec.session}-{name}"),
        socket=str(run / f"{name}.sock"),
        lock=str(run / f"{name}.lock"),
        spool=f"{spec.spool}-{name}",
    )


class KeeperProcess:
    def __init__(self, process: asyncio.subprocess.Process, hub: HubEnd) -> None:
        self.process = process
        self.hub = hub

    @property
    def pid(self) -> int:
        return self.process.pid

    async def exit(self) -> int:
        return await asyncio.wait_for(self.process.wait(), PATIENCE)

    async def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        await self.exit()


class Keepers:
    """Starts keepers, and ends those that the test left."""

    def __init__(self) -> None:
        self.started: list[KeeperProcess] = []
        self.hubs: list[HubEnd] = []

    def hub(self, spec: KeeperSpec) -> HubEnd:
        self.hubs.append(HubEnd(spec.socket))
        return self.hubs[-1]

    async def start(self, spec: KeeperSpec, *, ready: bool = True) -> KeeperProcess:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            scripted.__name__,
            msgspec.json.encode(spec).decode(),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": f"{ROOT}/src:{ROOT}"},
        )
        keeper = KeeperProcess(process, self.hub(spec))
        self.started.append(keeper)
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
        assert line == (b"ready\n" if ready else b"")
        return keeper

    async def connected(self, spec: KeeperSpec) -> KeeperProcess:
        keeper = await self.start(spec)
        await keeper.hub.connect(spec.epoch)
        return keeper

    async def outlive_an_idle_one(self, spec: KeeperSpec) -> None:
        """Until another keeper, born now, has ended because nothing kept it."""
        idle = await self.connected(msgspec.structs.replace(named(spec, "idle"), linger=0))
        await idle.hub.do(Look(on=False))
        assert await idle.exit() == 0


@pytest.fixture
async def keepers() -> AsyncIterator[Keepers]:
    keepers = Keepers()
    yield keepers
    for keeper in keepers.started:
        if keeper.process.returncode is None:
            keeper.process.terminate()
            await keeper.exit()
    for hub in keepers.hubs:
        await hub.drop()
