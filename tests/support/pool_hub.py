"""A hub that makes worktrees, and what a test asks of its repositories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.driver import RunningHub, eventually

CONFIG = '[defaults]\nagent = "rehearsal"\n[workspaces]\n'


class PoolHub(RunningHub):
    def set_workspaces(self, lines: str) -> None:
        self.configure(f"{CONFIG}{lines}\n")

    def plain(self, title: str, **more: Any) -> dict[str, Any]:
        """A session without an agent, with its worktree."""
        made: dict[str, Any] = self.new("", name=title, start=False, **more)
        return made

    def spares(self, repo: Path | None = None) -> list[dict[str, Any]]:
        wanted = str(repo or self.repo)
        found: list[dict[str, Any]] = next(
            r["spares"] for r in self.get("/api/repos") if r["path"] == wanted
        )
        return found

    def ready_spares(self, repo: Path | None = None) -> list[dict[str, Any]]:
        return [spare for spare in self.spares(repo) if spare["ready"]]

    def await_spare(self, count: int = 1, repo: Path | None = None) -> dict[str, Any]:
        found: list[dict[str, Any]] = []

        def there() -> bool:
            found[:] = self.ready_spares(repo)
            return len(found) == count

        eventually(there)
        return found[0]

    def await_installed(self) -> dict[str, Any]:
        """The one spare, with the dependencies of the main branch as it is now."""
        newest = self.git("rev-parse", "HEAD", cwd=self.repo).strip()

        def there() -> dict[str, Any] | None:
            found = self.ready_spares()
            known = found[0] if len(found) == 1 else {}
            return known if known.get("installed") and known["commit"] == newest else None

        found = eventually(there)
        assert found is not None
        return found

    def commit(self, files: dict[str, str], *, cwd: Path | None = None) -> str:
        """A commit on whatever branch the checkout is on."""
        place = cwd or self.repo
        for name, text in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        self.git("add", "-A", cwd=place)
        self.git("commit", "-q", "-m", "More", cwd=place)
        return self.git("rev-parse", "HEAD", cwd=place).strip()

    def notes(self, ref: str) -> list[str]:
        return [event["text"] for event in self.events(ref) if event["type"] == "note_made"]

    def head(self, session: dict[str, Any]) -> str:
        return self.git("rev-parse", "HEAD", cwd=Path(session["worktree"])).strip()

    def branch(self, session: dict[str, Any]) -> str:
        return self.git("branch", "--show-current", cwd=Path(session["worktree"])).strip()

    def status(self, session: dict[str, Any]) -> str:
        place = Path(session["worktree"])
        return self.git("status", "--porcelain", "--ignored", cwd=place).strip()


MakeHub = Callable[..., PoolHub]


@pytest.fixture
def make_hub(tmp_path: Path) -> Iterator[MakeHub]:
    with ExitStack() as stack:

        def make(workspaces: str = "pool = 0") -> PoolHub:
            hub = PoolHub(tmp_path / "hub")
            stack.callback(hub.close)
            hub.set_workspaces(workspaces)
            hub.start()
            hub.make_repo()
            return hub

        yield make


@pytest.fixture(scope="module")
def lasting_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PoolHub]:
    hub = PoolHub(tmp_path_factory.mktemp("pool"))
    try:
        yield hub
    finally:
        hub.close()


@pytest.fixture
def hub(lasting_hub: PoolHub) -> PoolHub:
    """One that a module shares, without a pool; the repository is the test's own."""
    lasting_hub.set_workspaces("pool = 0")
    if not lasting_hub.runs:
        lasting_hub.start()
    lasting_hub.change_repo()
    return lasting_hub


@pytest.fixture
def pool_hub(make_hub: MakeHub) -> PoolHub:
    """One whose pool keeps a spare of its repository ready."""
    hub = make_hub("pool = 1")
    hub.plain("Opens the pool")
    hub.await_spare()
    return hub
