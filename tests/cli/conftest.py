"""Fixtures of the command line's tests."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from manyhands.config import Home
from manyhands.rehearsal.provider import ready_file
from tests.cli.stand_in import StandIn
from tests.support.actor import actor_table
from tests.support.console import Console
from tests.support.hub_nursery import WORKS, start_hub, start_model


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    """A home of its own; whatever was started in it is stopped."""
    with console_in(tmp_path) as console:
        yield console


@pytest.fixture
def stand_in(console: Console) -> Iterator[StandIn]:
    """Something that answers in the hub's place, as badly as the test wants."""
    with StandIn.listening(console.home) as stand_in:
        yield stand_in


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo")


@pytest.fixture
def trusted(console: Console, repo: Path) -> Iterator[Console]:
    """A hub of the test's own, in a repository that it trusts."""
    with serving(console):
        yield trust(console, repo)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A hub with a trusted repository, for tests that look only at their own session."""
    place = tmp_path_factory.mktemp("shared")
    with console_in(place) as console, serving(console):
        yield trust(console, make_repo(place / "repo"))


@contextmanager
def console_in(place: Path) -> Iterator[Console]:
    cwd = place / "cwd"
    cwd.mkdir()
    console = Console(place / "home", cwd)
    try:
        yield console
    finally:
        down(console)


def down(console: Console) -> None:
    if (console.home / "hub.json").exists():
        console.run("down", "--all")


@contextmanager
def serving(console: Console) -> Iterator[None]:
    """A hub, the actor and the scripted model, where how they are started is not what a test is
    about."""
    console.home.mkdir(mode=0o700)
    (console.home / "config.toml").write_text(actor_table(), encoding="utf-8")
    if not WORKS:
        console.ok("up", "--no-open")
        yield
        return
    ready = ["--ready-file", str(ready_file(Home(console.home)))]
    servers = [start_model(["--port", "0", *ready], console.environment)]
    try:
        servers.append(start_hub((), console.environment))
        for server in servers:
            assert server.pipes[0].readline()
        yield
        down(console)
    finally:
        for server in servers:
            server.end()


def make_repo(path: Path) -> Path:
    """A repository with one commit."""
    path.mkdir()
    (path / "a.txt").write_text("one\n", encoding="utf-8")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "Start")):
        subprocess.run(["git", *words], cwd=path, check=True, timeout=120)
    return path


def trust(console: Console, repo: Path) -> Console:
    console.ok("repo", "trust", str(repo), "--yes")
    console.cwd = repo
    return console
