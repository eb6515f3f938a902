"""A hub of a test's own, with a repository whose files sessions can collide in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.driver import ACTOR, RunningHub
from tests.support.sides import numbered


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    hub = RunningHub(tmp_path / "hub", linger=1.0, agent=ACTOR)
    try:
        hub.start()
        repo = hub.make_repo()
        for name in ("one.txt", "two.txt"):
            (repo / name).write_text(numbered(30))
        hub.git("add", "-A", cwd=repo)
        hub.git("commit", "-q", "-m", "Lines", cwd=repo)
        yield hub
    finally:
        hub.close()
