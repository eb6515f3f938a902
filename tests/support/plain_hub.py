"""A hub with a repository, for looking into what is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.driver import RunningHub


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    place: Path = tmp_path_factory.mktemp("hub")
    with RunningHub(place) as running:
        running.start_model()
        running.make_repo()
        yield running
