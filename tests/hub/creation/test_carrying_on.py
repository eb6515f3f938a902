"""Creations as jobs: what an earlier version left, what they cost, what is seen and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from manyhands.config import Home
from manyhands.contract.sessions import New
from manyhands.hub.attention.answer import answer
from manyhands.hub.core.hub import Hub
from manyhands.hub.creation.new import new
from manyhands.hub.house import open_hub
from manyhands.hub.repos.repos import trust_repo
from manyhands.model import events as e
from manyhands.model.attention.attention import SETUP_OPTIONS, Attention, Resolution
from manyhands.model.clock import now
from manyhands.model.ids import AttentionId, Oid, SessionId
from manyhands.store import Batch
from tests.support.driver import Json, eventually, of_type
from tests.support.samples import commit_all, git, write
from tests.support.workspace_hub import WorkspaceHub, hub, make_hub

__all__ = ["hub", "make_hub"]

ID = SessionId("half")
MOST_TRANSACTIONS = 5
"""Asked for; the worktree there; files copied; ports leased; ready."""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    write(repo, {"a.txt": "a\n", ".manyhands.toml": "[setup]\nrun = ['touch made.txt']\n"})
    commit_all(repo)
    return repo


@asynccontextmanager
async def opened(place: Path) -> AsyncIterator[Hub]:
    home = Home(place / "home")
    home.root.mkdir(exist_ok=True)
    home.config.write_text("[workspaces]\npool = 0\nfetch_seconds = 0\n")
    async with asyncio.timeout(60), open_hub(home) as running:
        yield running


async def begin(hub: Hub, repo: Path) -> None:
    """A session as versions before this one recorded it."""
    await trust_repo(hub, str(repo))
    created = e.SessionCreated(
        session=ID,
        at=now(),
        title="Half",
        slug="half",
        repo=str(repo),
        branch="mh/half",
        base="main",
        base_commit=Oid(git(repo, "rev-parse", "main").strip()),
        worktree=str(repo.parent / "half"),
        agent="claude",
        kind="claude",
        start=False,
    )
    await hub.record(created, e.StepStarted(session=ID, at=now(), step="worktree"))


async def until_ready(hub: Hub) -> None:
    await hub.until(lambda state: state.sessions[ID].life.ready or None)


async def test_what_an_earlier_version_left_half_made_is_finished(
    tmp_path: Path, repo: Path
) -> None:
    async with opened(tmp_path) as hub:
        await begin(hub, repo)
    async with opened(tmp_path) as hub:
        await until_ready(hub)
        assert (repo.parent / "half" / "made.txt").exists()
        assert all(not job.is_open for job in hub.state.jobs.values())


async def test_what_it_had_asked_stays_asked_once(tmp_path: Path, repo: Path) -> None:
    item = Attention(
        id=AttentionId("asked"),
        session=ID,
        kind="setup_failed",
        summary="The setup failed",
        detail={"command": "touch made.txt"},
        options=SETUP_OPTIONS,
        raised_at=now(),
    )
    async with opened(tmp_path) as hub:
        await begin(hub, repo)
        place = repo.parent / "half"
        git(repo, "worktree", "add", "-q", "-b", "mh/half", str(place), "main")
        steps = [
            e.StepFinished(session=ID, at=now(), step=step)
            for step in ("worktree", "copy", "ports")
        ]
        begun = e.StepStarted(session=ID, at=now(), step="setup")
        failed = e.SetupFinished(session=ID, at=now(), outcome="failed", failed="touch made.txt")
        await hub.record(*steps, begun, failed, e.AttentionRaised(session=ID, at=now(), item=item))
    async with opened(tmp_path) as hub:
        waiting = await hub.until(lambda state: next(iter(state.jobs.values()), None))
        await hub.until(lambda state: state.jobs[waiting.id].state == "waiting" or None)
        assert [i.id for i in hub.state.sessions[ID].inbox.items] == ["asked"]
        await answer(hub, ID, "asked", Resolution(("skip",), by="human"))
        await until_ready(hub)
        assert not (repo.parent / "half" / "made.txt").exists()


async def test_a_creation_costs_no_more_transactions_than_it_has_steps(
    tmp_path: Path, repo: Path
) -> None:
    (repo / ".manyhands.toml").unlink()
    commit_all(repo, "Nothing to run")
    async with opened(tmp_path) as hub:
        await trust_repo(hub, str(repo))
        batches: list[Batch] = []
        hub.store.subscribe(batches.append)
        made = await new(hub, New(repo=str(repo), name="One", agent="claude", start=False))
        assert hub.state.sessions[made.id].life.ready
        of_it = [batch for batch in batches if made.id in batch.sessions]
        assert len(of_it) <= MOST_TRANSACTIONS


WAIT = "echo waiting; while [ ! -e go ]; do sleep 0.05; done"


def waiting_setup(hub: WorkspaceHub, more: str = "") -> Json:
    hub.write({".manyhands.toml": f"[setup]\nrun = ['''{WAIT}''']\n{more}"})
    hub.trust()
    session = hub.open_session()
    eventually(lambda: hub.show(session["id"])["progress"] == "waiting")
    return session


@pytest.mark.parametrize(("more", "kind"), [("", "create"), ("start = 'early'\n", "setup")])
def test_it_is_listed_with_its_progress_while_it_runs(
    hub: WorkspaceHub, more: str, kind: str
) -> None:
    session = waiting_setup(hub, more)
    [job] = hub.get("/api/jobs")
    assert (job["kind"], job["session"], job["step"]) == (kind, session["id"], "setup")
    assert (job["state"], job["progress"]) == ("running", "waiting")
    (Path(session["worktree"]) / "go").touch()
    eventually(lambda: hub.show(session["id"])["setup"] == "done")
    hub.wait_idle(session["id"])
    eventually(lambda: hub.get("/api/jobs") == [])
    ran = {job["kind"]: job["state"] for job in hub.get("/api/jobs", every=True)}
    assert ran[kind] == "done"


def test_cancelled_it_fails_the_session_and_resume_goes_on(hub: WorkspaceHub) -> None:
    session = waiting_setup(hub)
    [job] = hub.get("/api/jobs")
    assert hub.post(f"/api/jobs/{job['id']}/cancel")["state"] == "cancelled"
    shown = hub.show(session["id"])
    assert (shown["status"], shown["error"]) == ("failed", "it was cancelled")
    (Path(session["worktree"]) / "go").touch()
    hub.act(session["id"], "resume")
    [rested] = hub.wait_idle(session["id"])
    assert rested["setup"] == "done"
    assert len(of_type(hub.events(session["id"]), "worktree_ready")) == 1


def test_archived_while_it_asks_it_asks_on_after_a_restore(hub: WorkspaceHub) -> None:
    hub.write({".manyhands.toml": "[setup]\nrun = ['test -e mended']\n"})
    hub.trust()
    session = hub.open_session()
    item = hub.wait_attention(session["id"])
    hub.act(session["id"], "archive")
    assert hub.get("/api/jobs") == []
    hub.act(session["id"], "restore")
    eventually(lambda: [job["state"] for job in hub.get("/api/jobs")] == ["waiting"])
    assert [i["id"] for i in hub.show(session["id"])["attention"]] == [item["id"]]
    (Path(session["worktree"]) / "mended").touch()
    hub.answer(session["id"], "retry")
    [rested] = hub.wait_idle(session["id"])
    assert rested["setup"] == "done"
