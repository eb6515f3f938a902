"""A hub that many tests share because they leave nothing behind, and one of a test's own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from manyhands.api.tokens import hashed
from manyhands.model.clock import now
from manyhands.model.ids import SessionId
from manyhands.store import TokenKind
from manyhands.store.connection import open_writer
from manyhands.store.ledger import Token, add_token
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
    """A token of any kind in the shared hub, put beside what the hub writes: a whole store would
    look its log over first, and take a commit of that moment for one that cannot be read."""

    def minted(kind: TokenKind, session: str = "") -> str:
        token = secrets.token_urlsafe(32)
        with closing(open_writer(hub.home.store)) as db:
            add_token(db, Token(hashed(token), kind, SessionId(session), now()))
        return token

    return minted
