"""Ignored files in the life of sessions: kept with checkpoints, outside the user's repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.git.snapshot.test_private import CANARY, old_snapshot
from tests.support.driver import RunningHub


def objects(repo: Path) -> bytes:
    """Every object that the repository has."""
    command = ("git", "cat-file", "--batch-all-objects", "--batch")
    return subprocess.run(command, cwd=repo, check=True, capture_output=True).stdout


def test_an_ignored_file_goes_with_checkpoints_and_forks_and_never_into_the_repository(
    hub: RunningHub, tmp_path: Path
) -> None:
    canary = "canary-of-the-env-file-5d1c"
    (hub.repo / ".gitignore").write_text(".env\n")
    (hub.repo / ".env").write_text(f"KEY={canary}\n")
    hub.git("add", ".gitignore", cwd=hub.repo)
    hub.git("commit", "-qm", "Ignored", cwd=hub.repo)
    origin = hub.new("nothing", start=False)
    env = Path(origin["worktree"], ".env")
    env.write_text(f"KEY={canary}-2\n")
    env.chmod(0o600)
    forked = hub.act(origin["id"], "fork")
    hub.wait_idle(forked["id"])
    own = Path(forked["worktree"], ".env")
    assert own.read_text() == f"KEY={canary}-2\n"
    hub.act(origin["id"], "archive")
    hub.act(origin["id"], "rm", yes=True)
    assert not (hub.home.sessions / origin["id"]).exists()
    own.write_text(f"KEY={canary}-3\n")
    hub.act(forked["id"], "rewind", checkpoint="0")
    assert own.read_text() == f"KEY={canary}-2\n"
    assert own.stat().st_mode & 0o777 == 0o600
    hub.act(forked["id"], "archive")
    assert canary.encode() not in objects(hub.repo)
    elsewhere = tmp_path / "elsewhere"
    hub.git("init", "-q", "--bare", str(elsewhere), cwd=tmp_path)
    hub.git("push", "-q", "--mirror", str(elsewhere), cwd=hub.repo)
    assert canary.encode() not in objects(elsewhere)
    assert not [f for f in hub.get("/api/doctor") if f["check"] == "secrets"]


def test_the_doctor_moves_ignored_files_out_of_old_checkpoints(
    hub: RunningHub, tmp_path: Path
) -> None:
    made = hub.new("nothing", start=False)
    (hub.repo / ".git/info/exclude").write_text(".env\n")
    base = Oid(hub.git("rev-parse", "HEAD", cwd=hub.repo).strip())
    place = Place(hub.repo, Path(made["worktree"]), base, tmp_path)
    old = old_snapshot(place)
    hub.git("update-ref", f"refs/manyhands/checkpoints/{made['id']}/1", old, cwd=hub.repo)
    [found] = [f for f in hub.get("/api/doctor") if f["check"] == "secrets"]
    assert not found["ok"]
    assert "1 of our refs hold ignored files" in found["detail"]
    assert "doctor --fix" in found["fix"]
    [mended] = [f for f in hub.post("/api/doctor", {"fix": True}) if f["check"] == "secrets"]
    assert mended["ok"], mended
    assert not [f for f in hub.get("/api/doctor") if f["check"] == "secrets"]
    hub.git("gc", "-q", "--prune=now", cwd=hub.repo)
    assert CANARY.encode() not in objects(hub.repo)
    assert (hub.home.sessions / made["id"] / "private/moved" / old).is_file()
