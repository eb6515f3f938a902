"""One hub for all tests of a module, with a repository, the actor as its agent, and the scripted
model for what is about Claude Code: sessions of the agent `REHEARSAL`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.support.driver import ACTOR, RunningHub

MakeHub = Callable[[str], RunningHub]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with opened(tmp_path_factory.mktemp("command"), "") as hub:
        yield hub


@pytest.fixture
def configured(tmp_path: Path) -> Iterator[MakeHub]:
    """A hub of a test's own, with more configuration."""
    with ExitStack() as stack:
        yield lambda config: stack.enter_context(opened(tmp_path, config))


@contextmanager
def opened(root: Path, config: str) -> Iterator[RunningHub]:
    hub = RunningHub(root / "hub", agent=ACTOR)
    try:
        hub.start_model()
        hub.configure(hub.home.config.read_text() + config.replace("MODEL", hub.model_url))
        hub.start()
        hub.make_repo()
        yield hub
    finally:
        hub.close()
