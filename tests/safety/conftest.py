"""A hub of a test's own, and eyes for everything that must not change in the main checkout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.driver import RunningHub
from tests.safety.guarded import Guarded


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    hub = RunningHub(tmp_path / "hub", linger=1.0)
    try:
        hub.start_model()
        hub.start()
        hub.make_repo()
        guarded = Guarded(hub)
        yield hub
        guarded.require_untouched()
    finally:
        hub.close()
