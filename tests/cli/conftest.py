"""Fixtures of the command line's tests."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.console import Console
from tests.cli.stand_in import StandIn


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    """A home of its own; whatever was started in it is stopped."""
    cwd = tmp_path / "cwd"
    cwd.mkdir()
    console = Console(tmp_path / "home", cwd)
    yield console
    if (console.home / "hub.json").exists():
        console.run("down", "--all")


@pytest.fixture
def stand_in(console: Console) -> Iterator[StandIn]:
    """Something that answers in the hub's place, as badly as the test wants."""
    with StandIn.listening(console.home) as stand_in:
        yield stand_in


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one commit."""
    path = tmp_path / "repo"
    path.mkdir()
    (path / "a.txt").write_text("one\n", encoding="utf-8")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "Start")):
        subprocess.run(["git", *words], cwd=path, check=True, timeout=30)
    return path
