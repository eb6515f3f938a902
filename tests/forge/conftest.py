"""A hub, a repository whose origin is the loopback GitHub, and sessions with work in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.driver import Refused, RunningHub
from tests.forge.github_description import Description
from tests.forge.github_server import TOKEN, GitHubServer, github

CONFIG = """\
[limits]
working = 4
[defaults]
agent = "rehearsal"
[workspaces]
pool = 0
fetch_seconds = 0
[github]
token = "env:FORGE_TOKEN"
poll_seconds = 0
timeout_seconds = 30
"""


class ForgeHub(RunningHub):
    """A hub whose environment holds a token, and whose sessions are made by hand."""

    token_value = TOKEN

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {"FORGE_TOKEN": self.token_value}

    def work(self, name: str = "add-a-greeting", *, committed: bool = True, **more: Any) -> Any:
        """A session with a new file in it, committed unless told otherwise."""
        session = self.new("Add a greeting", name=name, start=False, **more)
        worktree = Path(session["worktree"])
        (worktree / f"{name}.txt").write_text("hello\n")
        if committed:
            self.act(session["id"], "commit", message=f"Add {name}")
        return session

    def refusal(self, ref: str, operation: str, **body: object) -> Refused:
        with pytest.raises(Refused) as caught:
            self.act(ref, operation, **body)
        return caught.value

    def dies_at(self, point: str, ref: str, operation: str, **body: object) -> None:
        """The hub is killed at that point of the operation, and starts anew."""
        self.home.failpoints.write_text(point)
        with pytest.raises((OSError, Refused)):
            self.act(ref, operation, **body)
        assert self.process is not None
        self.process.communicate(timeout=30)
        self.process = None
        self.home.failpoints.unlink()
        self.start()


@pytest.fixture(scope="session")
def description() -> Description:
    made = Description()
    made.graphql  # noqa: B018 - built before anyone waits for an answer
    return made


@pytest.fixture
def forge(tmp_path: Path, description: Description) -> Iterator[GitHubServer]:
    with github(tmp_path / "forge", description) as server:
        yield server
        assert server.complaints == []


@pytest.fixture
def hub(tmp_path: Path, forge: GitHubServer) -> Iterator[ForgeHub]:
    with_config = ForgeHub(tmp_path)
    with_config.configure(CONFIG)
    with with_config as running:
        with_origin(running, forge)
        yield running


def with_origin(hub: ForgeHub, forge: GitHubServer) -> None:
    """A repository whose origin is the forge, in step with it."""
    hub.make_repo()
    hub.git("remote", "add", "origin", forge.remote, cwd=hub.repo)
    hub.git("push", "-q", str(forge.state.bare.path), "main", cwd=hub.repo)
    hub.git("update-ref", "refs/remotes/origin/main", "main", cwd=hub.repo)
