"""A worktree that somebody removed, or tore from its repository: told at once, and brought back."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.driver import Json, Refused, RunningHub, bash, script, write
from tests.support.guarded import after_turn, contents


def worked(hub: RunningHub) -> Json:
    """A session with a commit, an untracked file and a checkpoint of both."""
    commit = bash(
        "echo two > two.txt; git add two.txt; git -c user.name=T -c user.email=t@e commit -q -m Two"
    )
    id = hub.new(script(commit, write("loose.txt", "loose\n"), {"text": "done"}))["id"]
    after_turn(hub, id, 1)
    hub.wait_idle(id)
    return hub.show(id)


def told(hub: RunningHub, id: str) -> Json:
    with hub.reader(after=0, session=id) as reader:
        raised = reader.until(
            lambda e: e.get("type") == "attention_raised" and "gone" in e["item"]["detail"]
        )
    return raised["item"]


def is_whole(hub: RunningHub, session: Json, files: dict[str, bytes]) -> None:
    """The files, the branch, git on both sides, and an agent that works there."""
    worktree = Path(session["worktree"])
    assert contents(worktree) == files
    assert hub.git("branch", "--show-current", cwd=worktree).strip() == session["branch"]
    assert hub.git("status", "--porcelain", cwd=worktree).split() == ["??", "loose.txt"]
    listed = hub.git("worktree", "list", "--porcelain", cwd=hub.repo)
    assert f"worktree {worktree.resolve()}\n" in listed
    assert "prunable" not in listed
    id = session["id"]
    hub.wait_idle(id)
    hub.say(id, script(bash("git log -1 --format=%s > seen.txt"), {"text": "done"}))
    hub.wait_idle(id)
    assert (worktree / "seen.txt").read_text() == "Two\n"


def remove(hub: RunningHub, session: Json) -> None:
    hub.git("worktree", "remove", "-f", "-f", session["worktree"], cwd=hub.repo)


def findings(hub: RunningHub, session: Json) -> list[Json]:
    """What the doctor finds wrong with the session."""
    return [f for f in hub.get("/api/doctor") if not f["ok"] and session["slug"] in f["detail"]]


def test_an_agent_that_removes_its_own_worktree_is_told_of_and_gets_it_back(
    hub: RunningHub,
) -> None:
    session = worked(hub)
    id, files = session["id"], contents(Path(session["worktree"]))
    Path(session["worktree"], "run.sh").write_text("git worktree remove -f -f .\n")
    hub.say(id, script(bash("sh run.sh"), {"text": "done"}))
    item = told(hub, id)
    assert "its worktree is gone" in item["summary"]
    assert [option["id"] for option in item["options"]] == ["restore", "seen"]
    with hub.reader(after=0, session=id) as reader:
        reader.until(lambda e: e.get("type") == "turn_finished" and e["turn"] == 2)
    hub.answer(id, "restore", item=item["id"])
    assert hub.show(id)["attention"] == []
    is_whole(hub, session, files)


def test_what_the_doctor_says_brings_it_back_and_so_does_a_rewind(hub: RunningHub) -> None:
    session = worked(hub)
    files = contents(Path(session["worktree"]))
    # Torn from each other on both sides.
    Path(session["worktree"], ".git").unlink()
    hub.git("worktree", "unlock", session["worktree"], cwd=hub.repo)
    hub.git("worktree", "prune", cwd=hub.repo)
    (found,) = findings(hub, session)
    way = re.search(r"`manyhands restore ([\w-]+)`", found["fix"])
    assert way is not None
    hub.act(way[1], "restore")
    assert findings(hub, session) == []
    with pytest.raises(Refused, match="is whole"):
        hub.act(session["id"], "restore")
    remove(hub, session)
    hub.git("branch", "-D", session["branch"], cwd=hub.repo)
    assert len(findings(hub, session)) == 1
    hub.act(session["id"], "rewind", checkpoint="1")
    hub.wait_idle(session["id"])
    is_whole(hub, session, files)


def test_a_restore_brings_files_back_or_refuses(hub: RunningHub) -> None:
    session = worked(hub)
    id, worktree = session["id"], Path(session["worktree"])
    files = contents(worktree)
    trash, admin = hub.home.trash / id, (worktree / ".git").read_text().split(": ")[1].strip()
    # Archived with no files left of it.
    remove(hub, session)
    hub.act(id, "archive")
    hub.act(id, "restore")
    assert contents(worktree) == files
    # The trash was emptied by hand.
    hub.act(id, "archive")
    shutil.rmtree(trash)
    hub.act(id, "restore")
    notes = [e.get("note", "") for e in hub.events(id) if e["type"] == "session_restored"]
    assert "was gone, so the files are those of the last checkpoint" in notes[-1]
    # Git has forgotten what is in the trash.
    hub.act(id, "archive")
    shutil.rmtree(admin)
    hub.act(id, "restore")
    is_whole(hub, session, files)


def test_a_moved_repository_is_said_plainly_and_the_way_out_works(hub: RunningHub) -> None:
    session = worked(hub)
    id, files = session["id"], contents(Path(session["worktree"]))
    hub.act(id, "archive")
    moved = hub.repo.with_name(f"{hub.repo.name} moved")
    hub.repo.rename(moved)
    with pytest.raises(Refused, match="is not there any more") as refused:
        hub.act(id, "restore")
    (said,) = (f for f in hub.get("/api/doctor") if not f["ok"] and str(hub.repo) in f["detail"])
    ways = [re.search(r"`(ln -s NEW .+)`", hint) for hint in (refused.value.hint, said["fix"])]
    lines = [way[1].replace("NEW", f"'{moved}'") for way in ways if way]
    assert len(lines) == 2
    assert lines[0] == lines[1]
    subprocess.run(["sh", "-c", lines[0]], check=True)
    hub.act(id, "restore")
    is_whole(hub, session, files)
