"""A hub with the actor as its agent: one that a module shares, or one of a test's own.

The scripted model is there too, for what is about Claude Code: sessions of the agent `REHEARSAL`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.driver import ACTOR, RunningHub

MakeHub = Callable[..., RunningHub]


@pytest.fixture
def make_hub(tmp_path: Path) -> Iterator[MakeHub]:
    with ExitStack() as stack:

        def make(working: int = 4, linger: float = 10.0) -> RunningHub:
            hub = RunningHub(tmp_path / "hub", working=working, linger=linger, agent=ACTOR)
            stack.callback(hub.close)
            hub.start_model()
            hub.start()
            hub.make_repo()
            return hub

        yield make


@pytest.fixture(scope="module")
def lasting_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    hub = RunningHub(tmp_path_factory.mktemp("hub"), working=8, agent=ACTOR)
    try:
        hub.start_model()
        yield hub
    finally:
        hub.close()


@pytest.fixture
def hub(lasting_hub: RunningHub) -> RunningHub:
    """Running, whatever the test before did to it; the repository is the test's own."""
    if not lasting_hub.runs:
        lasting_hub.start()
    lasting_hub.change_repo()
    return lasting_hub
