"""Archive, restore and rm: one plan, nothing lost, and every kill in between converges."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.driver import SECONDS, Json, Refused, RunningHub, of_type, script, write
from tests.support.guarded import after_turn, contents


def idle_session(hub: RunningHub) -> tuple[str, Path]:
    session = hub.new("x", name="Work", start=False)
    worktree = Path(session["worktree"])
    (worktree / "committed.txt").write_text("committed\n")
    hub.git("add", "committed.txt", cwd=worktree)
    hub.git("commit", "-q", "-m", "Mine", cwd=worktree)
    (worktree / "README.md").write_text("changed\r\n")
    (worktree / ".env").write_text("SECRET=1\n")
    (worktree / "new").mkdir()
    (worktree / "new/untracked.txt").write_text("untracked\n")
    return session["id"], worktree


ARCHIVE_POINTS = [
    "before:archive.keeper",
    "after:archive.keeper",
    "after:archive.teardown",
    "done:archive.checkpoint",
    "done:archive.move",
    "after:archive.move",
]
RESTORE_POINTS = ["before:restore.files", "done:restore.files", "after:restore.files"]
REWIND_POINTS = [
    "before:rewind.keeper",
    "after:rewind.keeper",
    "done:rewind.checkpoint",
    "after:rewind.checkpoint",
    "done:rewind.files",
    "after:rewind.files",
]


@contextmanager
def dying_at(hub: RunningHub, point: str) -> Iterator[None]:
    """The hub dies at that point within the block; after it, another one is running."""
    hub.fate.write_text(point)
    with pytest.raises((OSError, Refused)):
        yield
    assert hub.process is not None
    hub.process.wait(timeout=SECONDS)
    hub.fate.unlink()
    hub.process.communicate()
    hub.process = None
    hub.start()


def settled(hub: RunningHub, id: str, kind: str) -> Json:
    """The session once an event of that type is on record."""
    with hub.reader(after=0, session=id) as reader:
        reader.until_type(kind, id)
    return hub.show(id)


@pytest.mark.parametrize("point", ARCHIVE_POINTS)
def test_an_archive_killed_anywhere_is_finished_by_the_next_hub(
    hub: RunningHub, point: str
) -> None:
    id, worktree = idle_session(hub)
    before = contents(worktree)
    with dying_at(hub, point):
        hub.act(id, "archive")
    assert settled(hub, id, "session_archived")["status"] == "archived"
    assert not worktree.exists()
    assert len(of_type(hub.events(id), "session_archived")) == 1
    hub.act(id, "restore")
    assert contents(worktree) == before
    assert hub.git("branch", "--show-current", cwd=worktree).startswith("mh/")


@pytest.mark.parametrize("point", RESTORE_POINTS)
def test_a_restore_killed_anywhere_is_finished_by_the_next_hub(hub: RunningHub, point: str) -> None:
    id, worktree = idle_session(hub)
    before = contents(worktree)
    hub.act(id, "archive")
    with dying_at(hub, point):
        hub.act(id, "restore")
    assert settled(hub, id, "session_restored")["status"] == "idle"
    assert contents(worktree) == before


@pytest.mark.parametrize("point", REWIND_POINTS)
def test_a_rewind_killed_anywhere_is_finished_by_the_next_hub(hub: RunningHub, point: str) -> None:
    session = hub.new(script(write("kept.txt", "1\n"), {"text": "done"}))
    id, worktree = session["id"], Path(session["worktree"])
    after_turn(hub, id, 1)
    hub.wait_idle(id)
    before = contents(worktree)
    (worktree / "kept.txt").unlink()
    (worktree / "later.txt").write_text("by hand\n")
    now = contents(worktree)
    with dying_at(hub, point):
        hub.act(id, "rewind", checkpoint="1")
    settled(hub, id, "session_rewound")
    assert contents(worktree) == before
    first = next(c for c in hub.get(f"/api/sessions/{id}/checkpoints") if c["id"] == "1.1")
    hub.act(id, "rewind", checkpoint=first["id"])
    assert contents(worktree) == now


def test_rm_names_what_would_be_lost_and_needs_a_yes(hub: RunningHub) -> None:
    id, worktree = idle_session(hub)
    branch = hub.show(id)["branch"]
    plan = hub.act(id, "rm", dry_run=True)
    lost = {thing["what"]: thing["bytes"] for thing in plan["lost"]}
    assert not plan["safe"]
    assert lost["ignored .env"] == len("SECRET=1\n")
    assert "untracked new/" in lost
    assert "unstaged README.md" in lost
    assert any("branch" in kept["what"] for kept in plan["kept"])
    with pytest.raises(Refused, match=r"would lose for good: .*\.env") as caught:
        hub.act(id, "rm")
    assert caught.value.status == 409
    assert worktree.is_dir()

    done = hub.act(id, "rm", yes=True)
    assert [t["what"] for t in done["lost"]] == [t["what"] for t in plan["lost"]]
    assert not worktree.exists()
    assert not (hub.home.trash / id).exists()
    with pytest.raises(Refused) as caught:
        hub.show(id)
    assert caught.value.status == 404
    assert id not in [s["id"] for s in hub.get("/api/sessions", all=True)]
    # Its commits are merged nowhere: the branch stays.
    assert "Mine" in hub.git("log", "--oneline", branch, cwd=hub.repo)
    assert str(worktree) not in hub.git("worktree", "list", cwd=hub.repo)
    assert hub.git("for-each-ref", "refs/manyhands", cwd=hub.repo) == ""


def test_rm_of_a_session_that_holds_nothing_needs_no_yes(hub: RunningHub) -> None:
    session = hub.new("x", name="Nothing", start=False)
    plan = hub.act(session["id"], "rm")
    assert plan["safe"]
    assert plan["lost"] == []
    assert hub.git("branch", "--list", "mh/*", cwd=hub.repo) == ""


def test_rm_deletes_a_merged_branch_and_only_where_it_was_seen(hub: RunningHub) -> None:
    id, worktree = idle_session(hub)
    hub.git("update-ref", "refs/heads/main", hub.show(id)["branch"], cwd=worktree)
    plan = hub.act(id, "rm", yes=True)
    assert any("merged by merge" in kept["what"] for kept in plan["kept"])
    assert hub.git("branch", "--list", "mh/*", cwd=hub.repo) == ""


def test_a_process_inside_is_named_and_nothing_is_moved_under_it(hub: RunningHub) -> None:
    id, worktree = idle_session(hub)
    with subprocess.Popen(["sleep", "600"], cwd=worktree) as stranger:
        try:
            plan = hub.act(id, "archive", dry_run=True)
            assert any(str(stranger.pid) in reason for reason in plan["blocked_by"])
            for operation in ("archive", "rm"):
                with pytest.raises(Refused, match=str(stranger.pid)):
                    hub.act(id, operation)
            assert worktree.is_dir()
        finally:
            stranger.kill()
    hub.act(id, "archive")


def test_a_link_in_the_worktrees_place_is_refused_and_its_target_left_alone(
    hub: RunningHub, tmp_path: Path
) -> None:
    id, worktree = idle_session(hub)
    elsewhere = tmp_path / "elsewhere"
    worktree.rename(elsewhere)
    worktree.symlink_to(elsewhere)
    before = contents(elsewhere)
    plan = hub.act(id, "archive", dry_run=True)
    assert not plan["safe"]
    for operation in ("archive", "rm"):
        with pytest.raises(Refused):
            hub.act(id, operation, **({"yes": True} if operation == "rm" else {}))
    assert contents(elsewhere) == before


def test_a_link_to_the_main_node_modules_is_unlinked_and_its_target_stays(
    hub: RunningHub, tmp_path: Path
) -> None:
    shared = tmp_path / "node_modules"
    (shared / "left-pad").mkdir(parents=True)
    (shared / "left-pad/index.js").write_text("module.exports = 1\n")
    id, worktree = idle_session(hub)
    (worktree / "node_modules").symlink_to(shared)
    hub.act(id, "rm", yes=True)
    assert (shared / "left-pad/index.js").read_text() == "module.exports = 1\n"


def test_a_rebase_in_progress_is_said_so_and_comes_back(hub: RunningHub) -> None:
    id, worktree = idle_session(hub)
    hub.git("checkout", "-q", "--", "README.md", cwd=worktree)
    hub.git("branch", "-q", "other", "HEAD~1", cwd=worktree)
    tree = hub.git("rev-parse", "HEAD~1^{tree}", cwd=worktree).strip()
    (worktree / "README.md").write_text("mine\n")
    hub.git("commit", "-qam", "Mine again", cwd=worktree)
    blob = (
        subprocess.run(
            ["git", "hash-object", "-w", "--stdin"],
            cwd=worktree,
            input=b"theirs\n",
            capture_output=True,
            check=True,
            env=hub.environment,
        )
        .stdout.decode()
        .strip()
    )
    listing = hub.git("ls-tree", tree, cwd=worktree)
    changed = "".join(
        line.replace(line.split()[2], blob) if "README.md" in line else line
        for line in listing.splitlines(keepends=True)
    )
    new = (
        subprocess.run(
            ["git", "mktree"],
            cwd=worktree,
            input=changed.encode(),
            capture_output=True,
            check=True,
            env=hub.environment,
        )
        .stdout.decode()
        .strip()
    )
    theirs = hub.git("commit-tree", new, "-p", "other", "-m", "Theirs", cwd=worktree).strip()
    with pytest.raises(subprocess.CalledProcessError):
        hub.git("rebase", theirs, cwd=worktree)
    status = hub.git("status", cwd=worktree)
    plan = hub.act(id, "archive")
    assert any("rebase in progress" in kept["what"] for kept in plan["kept"])
    assert any(
        "rebase in progress" in lost["what"] for lost in hub.act(id, "rm", dry_run=True)["lost"]
    )
    hub.act(id, "restore")
    assert hub.git("status", cwd=worktree) == status
