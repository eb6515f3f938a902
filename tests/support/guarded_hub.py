"""A hub, shared or a test's own, and eyes for all that must not change in the main checkout.

Its agent is the actor; sessions of the agent `REHEARSAL` have Claude Code on the scripted model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.driver import ACTOR, RunningHub
from tests.support.guarded import Guarded


@contextmanager
def opened(root: Path) -> Iterator[RunningHub]:
    hub = RunningHub(root / "hub", linger=1.0, agent=ACTOR)
    try:
        hub.start_model()
        hub.start()
        yield hub
    finally:
        hub.close()


@pytest.fixture(scope="module")
def lasting_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with opened(tmp_path_factory.mktemp("lasting")) as hub:
        yield hub


@pytest.fixture
def hub(lasting_hub: RunningHub) -> Iterator[RunningHub]:
    """Running, whatever the test before did to it; the repository is the test's own."""
    if not lasting_hub.runs:
        lasting_hub.start()
    lasting_hub.change_repo()
    guarded = Guarded(lasting_hub)
    yield lasting_hub
    guarded.require_untouched()


@pytest.fixture
def own_hub(tmp_path: Path) -> Iterator[RunningHub]:
    """For tests that look at everything in the home."""
    with opened(tmp_path) as hub:
        hub.make_repo()
        guarded = Guarded(hub)
        yield hub
        guarded.require_untouched()
