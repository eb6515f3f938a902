"""The rest of what must never lose work; which test holds which case:

| case | test |
|---|---|
| untracked, ignored only | `safety/test_archive` (rm and archive plans), `git/test_rescue` survey |
| unpushed, detached, reflog-only commits | `git/test_rescue` (kept by a private ref) |
| rebase, merge, cherry-pick, bisect in progress | `git/test_rescue`, `safety/test_archive` |
| submodule with commits of its own | `git/test_rescue`, `git/test_snapshot` |
| squash-merged, remote gone; zero commits | `safety/test_merged` |
| branch moved between check and delete | `safety/test_merged`, `safety/test_archive` |
| directory deleted, repository moved, worktree removed by hand, gc | here, `hub/test_oddities` |
| a worktree that the user made, even inside our directory | `safety/test_doctor` |
| a process still running inside | `safety/test_archive`, `safety/test_expiry` |
| link or replaced root; link to node_modules | `safety/test_archive`, `git/test_rescue` |
| reset --hard, clean -fdx, checkout ., rm -rf . | `safety/test_rewind` |
| main checkout edited by absolute path | `safety/test_stray` |
| 40 sessions at once | `git/test_worktrees` |
| hostile names | `cli/test_sessions`, `model/test_slug` |
| odd repositories | `git/test_refs`, `git/test_diff` |
| a kill between any two steps of archive, restore, rewind | `safety/test_archive` |
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import Refused, RunningHub, eventually, pool_is_full
from tests.support.guarded import contents


@pytest.fixture
def hub(own_hub: RunningHub) -> RunningHub:
    return own_hub


@pytest.fixture
def worked(hub: RunningHub) -> tuple[str, Path]:
    session = hub.new("x", name="Work", start=False)
    worktree = Path(session["worktree"])
    (worktree / "mine.txt").write_text("mine\n")
    hub.git("add", "mine.txt", cwd=worktree)
    hub.git("commit", "-q", "-m", "Mine", cwd=worktree)
    (worktree / "untracked.txt").write_text("untracked\n")
    return session["id"], worktree


def collect_garbage(hub: RunningHub) -> None:
    eventually(lambda: pool_is_full(hub))  # git refuses while a worktree is half made
    hub.git("gc", "-q", "--prune=now", cwd=hub.repo)


def test_a_repository_that_was_moved_away_is_said_so_and_works_again_when_back(
    hub: RunningHub, worked: tuple[str, Path]
) -> None:
    id, worktree = worked
    before = contents(worktree)
    eventually(lambda: pool_is_full(hub))  # a spare that fails is tried again a minute later
    away = hub.repo.with_name("moved")
    hub.repo.rename(away)
    found = [f for f in hub.get("/api/doctor") if not f["ok"]]
    assert any(str(hub.repo) in f["detail"] and f["fix"] for f in found)
    for operation in ("archive", "rm"):
        with pytest.raises(Refused):
            hub.act(id, operation)
    assert contents(worktree) == before
    away.rename(hub.repo)
    hub.act(id, "archive")
    hub.act(id, "restore")
    assert contents(worktree) == before


def test_a_worktree_removed_by_hand_and_gc_leave_every_commit(
    hub: RunningHub, worked: tuple[str, Path]
) -> None:
    id, worktree = worked
    hub.git("worktree", "unlock", str(worktree), cwd=hub.repo)
    hub.git("worktree", "remove", "--force", str(worktree), cwd=hub.repo)
    collect_garbage(hub)
    assert any("is missing" in f["detail"] for f in hub.get("/api/doctor"))
    plan = hub.act(id, "archive")
    assert "gone" in plan["kept"][0]["what"]
    assert "Mine" in hub.git("log", "--oneline", "mh/work", cwd=hub.repo)


def test_gc_takes_nothing_from_checkpoints(hub: RunningHub, worked: tuple[str, Path]) -> None:
    id, worktree = worked
    before = contents(worktree)
    forked = hub.act(id, "fork")  # makes a checkpoint of what is there
    hub.wait_idle(forked["id"])
    (worktree / "untracked.txt").unlink()
    collect_garbage(hub)
    [kept] = hub.get(f"/api/sessions/{id}/checkpoints")
    hub.act(id, "rewind", checkpoint=kept["id"])
    assert contents(worktree) == before
    assert contents(Path(forked["worktree"])) == before


def test_a_carried_secret_comes_back_with_a_rewind(hub: RunningHub) -> None:
    (hub.repo / ".env").write_text("KEY=1\n")
    (hub.repo / ".env").chmod(0o600)
    session = hub.new("x", start=False)
    id, worktree = session["id"], Path(session["worktree"])
    assert (worktree / ".env").read_text() == "KEY=1\n"
    hub.wait_idle(hub.act(id, "fork")["id"])
    hub.git("clean", "-fdxq", cwd=worktree)
    [kept] = hub.get(f"/api/sessions/{id}/checkpoints")
    hub.act(id, "rewind", checkpoint=kept["id"])
    assert (worktree / ".env").read_text() == "KEY=1\n"
    assert (worktree / ".env").stat().st_mode & 0o777 == 0o600
    diff = hub.get(f"/api/sessions/{id}/diff")
    assert diff["files"] == []
