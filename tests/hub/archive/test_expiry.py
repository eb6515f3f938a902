"""The trash in time: by the record, announced first, and never because a clock jumped."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from manyhands.config import Home
from manyhands.contract.sessions import New
from manyhands.hub.archive.archive import archive
from manyhands.hub.archive.expiry import due, sweep
from manyhands.hub.core.hub import Hub
from manyhands.hub.creation.new import new
from manyhands.hub.house import open_hub
from manyhands.hub.repos.repos import trust_repo
from manyhands.model.ids import SessionId
from manyhands.model.session.life import Life
from manyhands.model.session.session import Session
from tests.support.samples import commit_all, git, write

ARCHIVED = "2026-03-01T12:00:00.000Z"


def archived(**more: object) -> Session:
    life = Life(archived=True, archived_at=ARCHIVED, trash="/t/a")
    return Session(id=SessionId("a"), updated_at=ARCHIVED, life=replace(life, **more))


@pytest.mark.parametrize(
    ("at", "is_due"),
    [
        ("2026-03-31T11:59:59.000Z", False),
        ("2026-03-31T12:00:00.000Z", True),
        ("2026-02-01T12:00:00.000Z", False),
    ],
)
def test_only_the_recorded_date_counts(at: str, is_due: bool) -> None:
    assert bool(due([archived()], at, 30)) is is_due


def test_what_is_not_in_the_trash_is_never_due() -> None:
    at = "2030-01-01T00:00:00.000Z"
    others = [archived(archived=False), archived(trash=""), archived(gone=True)]
    assert due([*others, archived(step="restore")], at, 30) == []


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    write(repo, {"a.txt": "a\n", ".gitignore": ".env\n"})
    commit_all(repo)
    return repo


async def put_away(hub: Hub, repo: Path) -> Session:
    await trust_repo(hub, str(repo))
    asked = New(repo=str(repo), name="Work", agent="claude", start=False)
    made = await new(hub, asked)
    worktree = Path(made.worktree)
    write(worktree, {"mine.txt": "mine\n"})
    commit_all(worktree, "unmerged")
    write(worktree, {".env": "KEY=1\n", "untracked.txt": "u\n"})
    await archive(hub, made.id)
    s = hub.state.session(made.id)
    assert s is not None
    return s


def later(days: float, hours: float = 0) -> str:
    from datetime import UTC, datetime, timedelta

    then = datetime.now(UTC) + timedelta(days=days, hours=hours)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def test_it_is_announced_then_removed_and_unmerged_commits_stay(
    tmp_path: Path, repo: Path
) -> None:
    home = Home(tmp_path / "home")
    home.root.mkdir()
    home.config.write_text("[workspaces]\npool = 0\n")
    async with asyncio.timeout(60), open_hub(home) as hub:
        s = await put_away(hub, repo)
        trash = Path(s.life.trash)
        await sweep(hub, later(29))
        assert trash.is_dir()
        assert not hub.state.sessions[s.id].life.expiring
        await sweep(hub, later(31))
        assert trash.is_dir(), "one sweep announces, it does not remove"
        assert hub.state.sessions[s.id].life.expiring
        await sweep(hub, later(31, hours=1))
        assert trash.is_dir(), "a jump of the clock is followed by no second sweep so soon"
        await sweep(hub, later(32))
        assert not trash.exists()
        assert hub.state.sessions[s.id].life.gone
    assert "unmerged" in git(repo, "log", "--oneline", s.workspace.branch)
    assert git(repo, "fsck", "--no-dangling") == ""


async def test_what_someone_works_in_stays(tmp_path: Path, repo: Path) -> None:
    home = Home(tmp_path / "home")
    home.root.mkdir()
    home.config.write_text("[workspaces]\npool = 0\n")
    async with asyncio.timeout(60), open_hub(home) as hub:
        s = await put_away(hub, repo)
        await sweep(hub, later(31))
        inside = await asyncio.create_subprocess_exec("sleep", "600", cwd=s.life.trash)
        await sweep(hub, later(40))
        inside.kill()
        await inside.wait()
        assert Path(s.life.trash, ".env").read_text() == "KEY=1\n"
