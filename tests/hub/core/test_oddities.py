"""What people and machines do to a home behind the hub's back; and archive and restore."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.hub.conftest import MakeHub
from tests.hub.fleet.test_turns import release
from tests.support.driver import (
    Refused,
    RunningHub,
    eventually,
    hold,
    pool_is_full,
    script,
    write,
)


@pytest.fixture
def hub(make_hub: MakeHub) -> RunningHub:
    return make_hub()


def contents(worktree: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(worktree)): path.read_bytes()
        for path in sorted(worktree.rglob("*"))
        if path.is_file() and path.name != ".git"
    }


def test_archive_and_restore_bring_everything_back(hub: RunningHub) -> None:
    session = hub.new(script(write("by_agent.txt", "agent\n"), {"text": "done"}))
    hub.wait_idle(session["id"])
    worktree = Path(session["worktree"])
    (worktree / "committed.txt").write_text("committed\n")
    hub.git("add", "committed.txt", cwd=worktree)
    hub.git("commit", "-q", "-m", "Mine", cwd=worktree)
    (worktree / "staged.txt").write_text("staged\n")
    hub.git("add", "staged.txt", cwd=worktree)
    (worktree / ".env").write_text("SECRET=1\n")
    (worktree / "README.md").write_text("changed\r\n")
    before, head = contents(worktree), hub.git("rev-parse", "HEAD", cwd=worktree)
    status = hub.git("status", "--porcelain", "--ignored", cwd=worktree)

    plan = hub.act(session["id"], "archive", dry_run=True)
    assert plan["safe"], plan["blocked_by"]
    assert plan["lost"] == plan["blocked_by"] == []
    whats = " ".join(kept["what"] for kept in plan["kept"])
    assert all(name in whats for name in (".env", "by_agent.txt", "staged.txt"))
    assert worktree.is_dir()
    assert hub.show(session["id"])["status"] == "idle"

    hub.act(session["id"], "archive")
    assert not worktree.exists()
    assert hub.show(session["id"])["status"] == "archived"
    assert session["id"] not in [s["id"] for s in hub.get("/api/sessions")]
    assert not hub.has_keeper(session["id"])
    eventually(lambda: pool_is_full(hub))  # git refuses while a worktree is half made
    hub.git("gc", "-q", "--prune=now", cwd=hub.repo)
    hub.git("worktree", "prune", cwd=hub.repo)
    for operation, body in (
        ("archive", {}),
        ("say", {"text": "hello?"}),
        ("rename", {"title": "x"}),
    ):
        with pytest.raises(Refused, match="archived"):
            hub.act(session["id"], operation, **body)
    with pytest.raises(Refused, match="archived"):
        hub.get(f"/api/sessions/{session['id']}/diff")

    restored = hub.act(session["id"], "restore")
    assert restored["status"] == "idle"
    assert contents(worktree) == before
    assert hub.git("rev-parse", "HEAD", cwd=worktree) == head
    assert hub.git("status", "--porcelain", "--ignored", cwd=worktree) == status
    assert hub.git("branch", "--show-current", cwd=worktree).strip() == session["branch"]
    hub.say(session["id"], script(write("after.txt"), {"text": "on"}))
    hub.wait_idle(session["id"])
    assert (worktree / "after.txt").exists()


def test_a_session_at_work_is_not_archived(hub: RunningHub) -> None:
    session = hub.new(script(hold("go"), {"text": "done"}))
    with hub.reader(after=0) as reader:
        reader.until_type("tool_called", session["id"])
    with pytest.raises(Refused, match="at work") as caught:
        hub.act(session["id"], "archive")
    assert caught.value.status == 409
    plan = hub.act(session["id"], "archive", dry_run=True)
    assert not plan["safe"]
    release(session)
    hub.wait_idle(session["id"])
    assert Path(session["worktree"]).is_dir()


def test_a_deleted_worktree_is_said_so_everywhere_and_nothing_is_repaired_by_deletion(
    hub: RunningHub,
) -> None:
    session = hub.new(script({"text": "one"}))
    hub.wait_idle(session["id"])
    shutil.rmtree(session["worktree"])
    with pytest.raises(Refused, match="is missing") as caught:
        hub.get(f"/api/sessions/{session['id']}/diff")
    assert caught.value.status == 409
    bad = [finding for finding in hub.get("/api/doctor") if not finding["ok"]]
    assert any("is missing" in finding["detail"] and finding["fix"] for finding in bad)
    hub.act(session["id"], "stop")
    hub.act(session["id"], "archive")
    assert hub.show(session["id"])["status"] == "archived"
    assert hub.git("branch", "--list", session["branch"], cwd=hub.repo).strip()


def test_a_message_to_a_deleted_worktree_is_refused_with_a_reason(hub: RunningHub) -> None:
    session = hub.new("x", start=False)
    shutil.rmtree(session["worktree"])
    with pytest.raises(Refused, match="is gone") as caught:
        hub.say(session["id"], script({"text": "one"}))
    assert caught.value.status == 409
    assert "`manyhands restore x`" in caught.value.hint
    hub.act(session["id"], "restore")
    hub.say(session["id"], script({"text": "one"}))
    hub.wait_idle(session["id"])


def test_a_config_that_breaks_while_running_is_told_and_stops_nobody(hub: RunningHub) -> None:
    session = hub.new(script(hold("go"), {"text": "done"}))
    good = hub.home.config.read_text()
    hub.configure(good + '[limits.oops]\nworking = "many"\n')
    with pytest.raises(Refused) as caught:
        hub.new(script({"text": "x"}))
    assert caught.value.status == 400
    assert "config.toml" in caught.value.message
    assert [f["ok"] for f in hub.get("/api/doctor") if f["check"] == "config"] == [False]
    release(session)
    hub.wait_idle(session["id"])
    hub.say(session["id"], script({"text": "again"}))
    hub.wait_idle(session["id"])
    hub.configure(good)
    hub.wait_idle(hub.new(script({"text": "x"}))["id"])


def test_a_hub_does_not_start_on_a_broken_config_and_names_line_and_key(hub: RunningHub) -> None:
    hub.terminate()
    hub.configure('[limits]\nworking = "many"\n', whole=True)
    process = hub.spawn()
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert out == ""
    assert "line 2" in errors
    assert "limits.working" in errors


def test_a_worktree_that_was_being_made_when_the_hub_died_is_finished(hub: RunningHub) -> None:
    ids = [hub.new("x", start=False, detach=True)["id"] for _ in range(5)]
    hub.kill()
    hub.start()
    sessions = hub.wait_idle(*ids)
    assert all(Path(s["worktree"]).is_dir() for s in sessions)
    worktrees = hub.git("worktree", "list", "--porcelain", cwd=hub.repo)
    assert worktrees.count("branch refs/heads/mh/") == 5
    assert not [f for f in hub.get("/api/doctor") if not f["ok"]]


def test_a_keeper_that_hangs_is_unreachable_and_nobody_waits_for_it(hub: RunningHub) -> None:
    with hub.reader(after=0) as reader:
        session = hub.new(script(hold("go"), {"text": "done"}))
        reader.until(lambda f: f.get("type") == "tool_called")
        keeper = hub.keeper(session["id"])
        keeper.suspend()
        try:
            with pytest.raises(Refused, match="lives but has not answered"):
                hub.act(session["id"], "stop")
            assert hub.show(session["id"])["status"] == "unreachable"
        finally:
            keeper.resume()
        reader.until(lambda f: f.get("type") == "keeper_reached")
    # The interrupt still lay in its socket: it is heeded now, late as it is.
    hub.wait_idle(session["id"])
