"""Repositories to make workspaces of, and a hub: a test's own, or one that a module shares."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.driver import Json, RunningHub

MakeHub = Callable[..., RunningHub]


def git(cwd: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=cwd, capture_output=True, check=True, text=True)
    return done.stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one commit that ignores `.env*`, `secret/` and `node_modules/`."""
    path = tmp_path / "repo"
    path.mkdir()
    (path / "README.md").write_text("# Sample\n")
    (path / ".gitignore").write_text(".env*\nsecret/\nnode_modules/\n.venv/\n")
    git(path, "init", "-q", "-b", "main")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "First")
    return path


@pytest.fixture
def worktree(repo: Path, tmp_path: Path) -> Path:
    path = tmp_path / "worktree"
    git(repo, "worktree", "add", "-q", "--detach", str(path))
    return path


class WorkspaceHub(RunningHub):
    """A hub whose children may read what the machine's package managers need."""

    passed: dict[str, str]

    def __init__(self, root: Path, *, working: int = 4, linger: float = 10.0) -> None:
        self.passed = {}
        super().__init__(root, working=working, linger=linger)

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | self.passed

    def await_death(self) -> None:
        """Until the hub has ended by itself."""
        process, self.process = self.process, None
        assert process is not None
        process.communicate(timeout=60)

    def add_config(self, text: str) -> None:
        self.configure(f"{self.home.config.read_text()}\n{text}\n")

    def write(self, files: dict[str, str]) -> None:
        """Commit these files to the repository's main branch."""
        for name, content in files.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
            if name.endswith(".sh"):
                path.chmod(0o755)
        self.git("add", "-A", cwd=self.repo)
        self.git("commit", "-q", "-m", "More", cwd=self.repo)

    def trust(self) -> None:
        self.post("/api/repos/trust", {"path": str(self.repo)})

    def open_session(self, name: str = "place", *, detach: bool = False) -> Json:
        """A session without an agent."""
        return self.new("", name=name, start=False, detach=detach)


@pytest.fixture
def make_hub(tmp_path: Path) -> Iterator[Callable[..., WorkspaceHub]]:
    with ExitStack() as stack:

        def make(config: str = "", *, model: bool = False, **options: float) -> WorkspaceHub:
            hub = WorkspaceHub(tmp_path / "hub", **options)  # type: ignore[arg-type]
            stack.callback(hub.close)
            hub.add_config(
                config if "[workspaces]" in config else f"[workspaces]\npool = 0\n{config}"
            )
            if model:
                hub.start_model()
            hub.start()
            hub.make_repo()
            return hub

        yield make


@pytest.fixture
def hub(make_hub: Callable[..., WorkspaceHub]) -> WorkspaceHub:
    return make_hub()


@pytest.fixture(scope="module")
def lasting_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkspaceHub]:
    hub = WorkspaceHub(tmp_path_factory.mktemp("workspaces"))
    hub.add_config("[workspaces]\npool = 0")
    try:
        yield hub
    finally:
        hub.close()


@pytest.fixture
def shared_hub(lasting_hub: WorkspaceHub) -> WorkspaceHub:
    """One that a module's tests share; the repository is the test's own."""
    if not lasting_hub.runs:
        lasting_hub.start()
    lasting_hub.change_repo()
    return lasting_hub


def machine_variables(*names: str) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}
