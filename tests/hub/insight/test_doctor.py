"""The doctor: explains what is odd, mends only what is ours, and leaves people's things alone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.driver import Json, RunningHub, eventually
from tests.support.guarded import contents
from tests.support.guarded_hub import own_hub

__all__ = ["own_hub"]


@pytest.fixture
def hub(own_hub: RunningHub) -> RunningHub:
    return own_hub


def oddities(hub: RunningHub) -> list[Json]:
    return [finding for finding in hub.get("/api/doctor") if not finding["ok"]]


def of(findings: list[Json], check: str) -> list[Json]:
    return [finding for finding in findings if finding["check"] == check]


def test_nothing_is_odd_about_sessions_that_are_as_recorded(hub: RunningHub) -> None:
    hub.new("x", start=False)
    findings = hub.get("/api/doctor")
    assert [f for f in findings if not f["ok"]] == []
    [disk] = of(findings, "disk")
    assert all(name in disk["detail"] for name in ("worktrees", "trash"))


def test_every_oddity_says_what_to_do(hub: RunningHub) -> None:
    session = hub.new("x", name="Gone", start=False)
    shutil.rmtree(session["worktree"])
    orphan = hub.home.worktrees / "repo" / "left-over"
    orphan.mkdir()
    (orphan / "file").write_text("somebody's\n")
    found = oddities(hub)
    [missing] = of(found, "worktree")
    assert "is missing" in missing["detail"]
    assert "`manyhands restore gone`" in missing["fix"]
    [left] = of(found, "orphan")
    assert str(orphan) in left["detail"]
    hub.post("/api/doctor", {"fix": True})
    assert (orphan / "file").read_text() == "somebody's\n"
    hub.act("gone", "restore")  # it never had a turn, and comes back from its branch
    assert Path(session["worktree"], "README.md").exists()


def test_a_worktree_made_by_hand_is_offered_for_adoption_and_never_touched(
    hub: RunningHub, tmp_path: Path
) -> None:
    byhand = hub.home.worktrees / "repo" / "by-hand"
    hub.git("worktree", "add", "-q", "-b", "mine", str(byhand), "main", cwd=hub.repo)
    (byhand / "untracked").write_text("mine\n")
    before = contents(byhand)
    findings = hub.post("/api/doctor", {"fix": True})
    [foreign] = of(findings, "foreign")
    assert foreign["ok"]
    assert f"adopt {byhand}" in foreign["fix"]
    assert contents(byhand) == before
    hub.restart()
    assert contents(byhand) == before
    hub.git("worktree", "remove", "--force", str(byhand), cwd=hub.repo)


def test_only_our_own_stale_lock_is_removed(hub: RunningHub) -> None:
    ours, theirs = (hub.new("x", name=name, start=False) for name in ("ours", "theirs"))
    locks = {}
    for session, text in ((ours, "manyhands restore\n"), (theirs, "")):
        admin = hub.git("rev-parse", "--git-dir", cwd=Path(session["worktree"])).strip()
        locks[session["id"]] = Path(admin) / "index.lock"
        locks[session["id"]].write_text(text)
    assert len(of(oddities(hub), "lock")) == 2
    findings = hub.post("/api/doctor", {"fix": True})
    assert any(f["ok"] and f["detail"].startswith("mended") for f in of(findings, "lock"))
    assert not locks[ours["id"]].exists()
    assert locks[theirs["id"]].exists()
    locks[theirs["id"]].unlink()


def test_a_process_left_of_an_archived_session_is_found_and_ended(hub: RunningHub) -> None:
    session = hub.new("x", start=False)
    hub.act(session["id"], "archive")
    mark = {"MANYHANDS_SESSION": session["id"], "MANYHANDS_WORKTREE": session["worktree"]}
    with subprocess.Popen(["sleep", "600"], env=hub.environment | mark) as left:
        eventually(lambda: of(oddities(hub), "process"))
        [found] = of(oddities(hub), "process")
        assert str(left.pid) in found["detail"]
        hub.post("/api/doctor", {"fix": True})
        left.wait(timeout=120)
    assert of(oddities(hub), "process") == []
