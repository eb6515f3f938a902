"""A hub, a repository whose origin is the loopback GitHub, and sessions with work in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.driver import ACTOR, GITCONFIG, Refused, RunningHub, eventually
from tests.support.forge.github_description import Description
from tests.support.forge.github_server import TOKEN, GitHubServer
from tests.support.forge.http import served
from tests.support.forge.server import ForgeServer

CONFIG = """\
[limits]
working = 4
[defaults]
agent = "actor"
[workspaces]
pool = 0
fetch_seconds = 0
[github]
token = "env:FORGE_TOKEN"
poll_seconds = 0
timeout_seconds = 30
[radar]
enabled = false
"""
AGENT = "/nowhere/canary-ssh-agent.sock"
"""What the hub's own environment names as the user's ssh agent."""
FIRST = "first"
"""The repository's first commit, by a tag."""


class ForgeHub(RunningHub):
    """A hub whose environment holds a token, and whose sessions are made by hand."""

    token_value = TOKEN

    @property
    def programs(self) -> Path:
        """First on its PATH, for stand-ins."""
        place = self.root / "programs"
        place.mkdir(exist_ok=True)
        return place

    @property
    def environment(self) -> dict[str, str]:
        given = super().environment
        path = f"{self.programs}:{given['PATH']}"
        return given | {"FORGE_TOKEN": self.token_value, "SSH_AUTH_SOCK": AGENT, "PATH": path}

    def trust(self, repo: Path | None = None) -> None:
        """What it brings along now, and where its remotes lead."""
        self.post("/api/repos/trust", {"path": str(repo or self.repo)})

    def work(self, name: str = "add-a-greeting", *, committed: bool = True, **more: Any) -> Any:
        """A session with a new file in it, committed unless told otherwise."""
        session = self.new("Add a greeting", name=name, start=False, **more)
        worktree = Path(session["worktree"])
        (worktree / f"{name}.txt").write_text("hello\n")
        if committed:
            self.act(session["id"], "commit", message=f"Add {name}")
        return session

    def start_model(self) -> None:
        if not self.model_url:
            super().start_model()

    def refusal(self, ref: str, operation: str, **body: object) -> Refused:
        with pytest.raises(Refused) as caught:
            self.act(ref, operation, **body)
        return caught.value

    def dies_at(
        self,
        point: str,
        ref: str,
        operation: str,
        *,
        meanwhile: Callable[[], None] = lambda: None,
        **body: object,
    ) -> None:
        """The hub is killed at that point of the operation, and starts anew."""
        self.fate.write_text(point)
        with pytest.raises((OSError, Refused)):
            self.act(ref, operation, **body)
        assert self.process is not None
        self.process.communicate(timeout=120)
        self.process = None
        self.fate.unlink()
        meanwhile()
        self.start()

    def await_jobs(self, session: str) -> None:
        """Until none is open for the session."""
        eventually(lambda: all(job["session"] != session for job in self.get("/api/jobs")))


@pytest.fixture(scope="session")
def description() -> Description:
    made = Description()
    made.graphql  # noqa: B018 - built before anyone waits for an answer
    return made


@dataclass(frozen=True)
class Place:
    """A hub and a forge that the tests of a module share, each as if they were new."""

    hub: ForgeHub
    forge: Any
    """A server of some kind of forge."""
    config: bytes
    """The repository's own, as it was at first."""
    settings: str = CONFIG

    def begin_anew(self) -> None:
        """What an earlier test left: its sessions stay, and are in nobody's way."""
        self.forge.begin_anew()
        hub, repo = self.hub, self.hub.repo
        (repo / ".git" / "config").write_bytes(self.config)
        (hub.user / ".gitconfig").write_text(GITCONFIG)
        if hub.process is None:
            hub.start()
        hub.fate.unlink(missing_ok=True)
        hub.configure(self.settings)
        shutil.rmtree(repo / ".git" / "hooks", ignore_errors=True)
        (repo / ".git" / "hooks").mkdir()
        hub.git("reset", "-q", "--hard", FIRST, cwd=repo)
        hub.git("update-ref", "refs/remotes/origin/main", FIRST, cwd=repo)
        hub.trust()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, description: Description) -> Iterator[Place]:
    root = tmp_path_factory.mktemp("place")
    with served(GitHubServer(root / "forge", description)) as forge:
        hub = ForgeHub(root, agent=ACTOR)
        hub.configure(CONFIG)
        with hub as running:
            with_origin(running, forge)
            yield Place(running, forge, (running.repo / ".git" / "config").read_bytes())


@pytest.fixture
def forge(place: Place) -> Iterator[GitHubServer]:
    place.begin_anew()
    yield place.forge
    assert place.forge.complaints == [], place.forge.complaints


@pytest.fixture
def hub(place: Place, forge: GitHubServer) -> ForgeHub:
    return place.hub


def with_origin(hub: ForgeHub, forge: ForgeServer) -> None:
    """A repository whose origin is the forge, in step with it."""
    hub.make_repo()
    hub.git("tag", FIRST, cwd=hub.repo)
    hub.git("remote", "add", "origin", forge.remote, cwd=hub.repo)
    hub.trust()
    hub.git("push", "-q", str(forge.state.bare.path), "main", cwd=hub.repo)
    hub.git("update-ref", "refs/remotes/origin/main", "main", cwd=hub.repo)
    forge.state.first = forge.state.bare.tip("main")
