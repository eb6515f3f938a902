"""A hub of a test's own, without a model: what is tried here starts no agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.workspace_pool.place import PoolHub

MakeHub = Callable[..., PoolHub]


@pytest.fixture
def make_hub(tmp_path: Path) -> Iterator[MakeHub]:
    with ExitStack() as stack:

        def make(workspaces: str = "pool = 0") -> PoolHub:
            hub = PoolHub(tmp_path / "hub")
            stack.callback(hub.close)
            hub.set_workspaces(workspaces)
            hub.start()
            hub.make_repo()
            return hub

        yield make


@pytest.fixture
def hub(make_hub: MakeHub) -> PoolHub:
    return make_hub()


@pytest.fixture
def pool_hub(make_hub: MakeHub) -> PoolHub:
    """One whose pool keeps a spare of its repository ready."""
    hub = make_hub("pool = 1")
    hub.plain("Opens the pool")
    hub.await_spare()
    return hub
