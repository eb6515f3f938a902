"""A hub of a test's own with a repository and the scripted model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.driver import RunningHub

MakeHub = Callable[..., RunningHub]


@pytest.fixture
def make_hub(tmp_path: Path) -> Iterator[MakeHub]:
    with ExitStack() as stack:

        def make(working: int = 4, linger: float = 10.0) -> RunningHub:
            hub = RunningHub(tmp_path / "hub", working=working, linger=linger)
            stack.callback(hub.close)
            hub.start_model()
            hub.start()
            hub.make_repo()
            return hub

        yield make


@pytest.fixture
def hub(make_hub: MakeHub) -> RunningHub:
    return make_hub()
