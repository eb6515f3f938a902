"""A hub that many tests share because they leave nothing behind, and one of a test's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from manyhands.api.tokens import TokenKeeper
from manyhands.model.ids import SessionId
from manyhands.store import Store, TokenKind
from tests.support.driver import Json, RunningHub

Mint = Callable[..., str]


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    """Shared: a test may add to it, and must not take away."""
    with RunningHub(tmp_path_factory.mktemp("hub")) as running:
        running.make_repo()
        yield running


@pytest.fixture
def own_hub(tmp_path: Path) -> Iterator[RunningHub]:
    """For tests that kill, rotate or stop."""
    with RunningHub(tmp_path / "hub") as running:
        running.make_repo()
        yield running


@pytest.fixture(scope="session")
def resting(hub: RunningHub) -> Json:
    """A session whose agent was never started."""
    return hub.new("Nothing yet", start=False, name="Resting")


@pytest.fixture(scope="session")
def mint(hub: RunningHub) -> Mint:
    """A token of any kind in the shared hub."""

    async def minted(kind: TokenKind, session: str) -> str:
        store = Store.open(hub.home.store)
        try:
            return await TokenKeeper(hub.home, store).mint(kind, SessionId(session))
        finally:
            await store.close()

    return lambda kind, session="": asyncio.run(minted(kind, session))
