"""The commands around checkpoints and removal, as a user types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.driver import SECONDS, Json, RunningHub, script, write
from tests.support.guarded import after_turn
from tests.support.guarded_hub import hub, lasting_hub

__all__ = ["hub", "lasting_hub"]


def run(hub: RunningHub, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *words],
        env=hub.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def data(hub: RunningHub, *words: str) -> Json:
    code, out, errors = run(hub, *words, "--json")
    assert code == 0, errors
    return json.loads(out)


def test_checkpoints_diff_rewind_fork_and_rm_by_hand(hub: RunningHub) -> None:
    session = hub.new(script(write("one.txt", "1\n"), {"text": "done"}), name="By hand")
    id, worktree = session["id"], Path(session["worktree"])
    hub.wait_idle(id)
    after_turn(hub, id, 1)
    assert data(hub, "checkpoints", id)[-1]["id"] == "1"
    assert "CHECKPOINT" in run(hub, "checkpoints", "by-hand")[1]
    assert [f["path"] for f in data(hub, "diff", id, "--turn", "1")["files"]] == ["one.txt"]

    (worktree / "one.txt").unlink()
    assert data(hub, "rewind", id, "1")["id"] == id
    assert (worktree / "one.txt").read_text() == "1\n"
    assert run(hub, "rewind", id, "99")[0] == 5

    forked = data(hub, "fork", id, "1")
    assert forked["id"] != id
    code, out, errors = run(hub, "rm", forked["id"])
    assert (code, out) == (1, "")
    assert "would lose for good" in errors
    assert "lost  untracked one.txt" in run(hub, "rm", forked["id"], "--dry-run")[1]
    plan = data(hub, "rm", forked["id"], "--yes")
    assert set(plan) >= {"session", "safe", "kept", "lost", "blocked_by"}
    assert not Path(forked["worktree"]).exists()
    assert run(hub, "show", forked["id"])[0] == 5
    assert "kept" in run(hub, "archive", id, "--dry-run")[1]


def test_jobs_lists_what_ran_in_steps(hub: RunningHub) -> None:
    session = hub.new("", name="Put away", start=False)
    hub.wait_idle(session["id"])
    assert data(hub, "jobs") == []
    data(hub, "archive", session["id"])
    job, made = [job for job in data(hub, "jobs", "--all") if job["session"] == session["id"]]
    assert (made["kind"], made["state"]) == ("create", "done")
    assert (job["kind"], job["state"], job["step"], job["error"]) == ("archive", "done", "", "")
    code, out, _ = run(hub, "jobs", "--all")
    assert code == 0
    assert "archive" in out
    code, _, errors = run(hub, "jobs", "--cancel", job["id"])
    assert code == 1
    assert "has ended" in errors
