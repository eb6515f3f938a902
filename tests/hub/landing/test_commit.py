"""Commits: made in the user's name, hooks and all, and made once."""

from __future__ import annotations

import contextlib
import http.client
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from tests.support.driver import REHEARSAL, Refused, eventually, hold, of_type, script, write
from tests.support.forge.hub import ForgeHub


def hook(hub: ForgeHub, name: str, text: str) -> None:
    path = hub.repo / ".git" / "hooks" / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    hub.trust()


def commits(hub: ForgeHub, branch: str) -> list[str]:
    return hub.git("log", "--format=%s", f"main..{branch}", cwd=hub.repo).splitlines()


def test_everything_is_committed_as_the_user(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    (Path(session["worktree"]) / "README.md").unlink()
    made = hub.act(session["id"], "commit", message="Greet, and drop the readme")
    form = "%an <%ae> %cn <%ce>"
    person = hub.git("log", "-1", f"--format={form}", made["commit"], cwd=hub.repo).strip()
    assert person == " ".join(["Test Person <person@example.invalid>"] * 2)
    listed = hub.git("show", "--name-status", "--format=", made["commit"], cwd=hub.repo).split("\n")
    assert {"D\tREADME.md", "A\tadd-a-greeting.txt"} <= set(listed)
    assert hub.git("status", "--porcelain", cwd=Path(session["worktree"])) == ""


def test_a_subset_leaves_the_rest_and_what_the_agent_staged(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    worktree = Path(session["worktree"])
    (worktree / "later.txt").write_text("later\n")
    (worktree / "README.md").write_text("# Changed\n")
    hub.git("add", "README.md", cwd=worktree)
    hub.act(session["id"], "commit", message="Only this", paths=["add-a-greeting.txt"])
    status = hub.git("status", "--porcelain", cwd=worktree)
    assert status == "M  README.md\n?? later.txt\n"


def test_without_a_message_one_is_proposed(hub: ForgeHub) -> None:
    session = hub.work("Greet the people.", committed=False)
    proposed = hub.get(f"/api/sessions/{session['id']}/commit")
    assert proposed["message"].startswith("Greet the people\n\n- ")
    made = hub.act(session["id"], "commit")
    assert made["message"] == proposed["message"]


def test_the_agent_proposes_a_message_beside_its_work(hub: ForgeHub) -> None:
    hub.start_model()
    session = hub.new(script({"text": "Ready."}), name="Greet people", agent=REHEARSAL)
    hub.wait_idle(session["id"])
    worktree = Path(session["worktree"])
    words = "Greet whoever comes in\n\nThey asked for it."
    told = script({"text": f"Here it is:\n<message>\n{words}\n</message>"})
    (worktree / "greeting.txt").write_text(f"{told}\n")
    proposed = hub.act(session["id"], "commit/message")
    assert (proposed["message"], proposed["by_agent"]) == (f"{words}\n", True)
    shown = hub.show(session["id"])
    assert (shown["turn"], len(shown["conversations"])) == (1, 1)
    assert proposed["files"] == ["greeting.txt"]


def test_the_message_is_what_the_agent_said_it_did_since_the_last_commit(hub: ForgeHub) -> None:
    first = "Done! Whoever comes in is greeted, since guests felt lost.\n\n```\nhello\n```"
    words = script({"text": "Let me see.", **write("hello.txt", "hello\n")}, {"text": first})
    session = hub.new(words, name="please greet people", mode="auto")
    id = session["id"]
    hub.wait_idle(id)
    proposed = hub.get(f"/api/sessions/{id}/commit")
    assert proposed["by_agent"]
    made = hub.act(id, "commit")
    why = "Whoever comes in is greeted, since guests felt lost."
    assert made["message"] == proposed["message"] == f"Greet people\n\n{why}\n"
    for text in ("I've added a bell. It rings.", "Could you tell me how loud it is to be?"):
        hub.act(id, "say", text=script(write("bell.txt", text), {"text": text}))
        hub.wait_idle(id)
    assert hub.act(id, "commit")["message"] == "Add a bell\n\nIt rings.\n"
    (Path(session["worktree"]) / "mine.txt").write_text("by hand\n")
    assert hub.act(id, "commit")["message"] == "Greet people\n\n- mine.txt\n"
    tried = hub.act(id, "merge", method="squash", dry_run=True)
    assert tried["message"].startswith(f"please greet people\n\n* Greet people\n\n{why}")
    hub.act(id, "merge", method="squash", message="Greet\n\nBy the person.")
    assert (
        hub.git("log", "-1", "--format=%B", "main", cwd=hub.repo) == "Greet\n\nBy the person.\n\n"
    )
    assert "own message" in hub.refusal(id, "merge", method="rebase", message="x").message


def test_where_no_agent_can_be_asked_the_template_speaks(hub: ForgeHub) -> None:
    session = hub.work("Greet the people.", committed=False)
    proposed = hub.act(session["id"], "commit/message")
    assert proposed["message"].startswith("Greet the people\n\n- ")
    assert not proposed["by_agent"]


def test_hooks_run_and_are_shown_whole(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    hook(
        hub, "pre-commit", "seq 1 5000; echo formatted > made-by-hook.txt; git add made-by-hook.txt"
    )
    hook(hub, "commit-msg", 'echo "Checked-by: hook" >> "$1"')
    made = hub.act(session["id"], "commit", message="Greet")
    assert "\n4999\n5000" in made["output"]
    shown = hub.git("show", "--format=%B", "--name-only", made["commit"], cwd=hub.repo)
    assert "Checked-by: hook" in shown
    assert "made-by-hook.txt" in shown


def test_a_hook_that_refuses_leaves_everything_as_it_was(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    worktree = Path(session["worktree"])
    index = hub.git("ls-files", "--stage", cwd=worktree)
    hook(hub, "pre-commit", "echo 'line 3 is too long' >&2; exit 1")
    refused = hub.refusal(session["id"], "commit", message="Greet")
    assert "nothing was committed" in refused.message
    assert "line 3 is too long" in refused.message
    assert commits(hub, session["branch"]) == []
    assert hub.git("ls-files", "--stage", cwd=worktree) == index
    hook(hub, "pre-commit", "true")
    hub.act(session["id"], "commit", message="Greet")
    assert commits(hub, session["branch"]) == ["Greet"]


def test_a_hook_that_hangs_is_ended(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    # Of them, git itself may need some where the machine is busy: the commit must come before.
    hub.configure(hub.home.config.read_text() + "[landing]\nhook_seconds = 5\n")
    hook(hub, "pre-commit", "echo begun; sleep 100")
    refused = hub.refusal(session["id"], "commit", message="Greet")
    assert "did not end in time" in refused.message
    assert "begun" in refused.message
    hook(hub, "pre-commit", "true")
    hook(hub, "post-commit", "sleep 100")
    made = hub.act(session["id"], "commit", message="Greet")
    assert "a hook after it failed" in made["note"]
    assert commits(hub, session["branch"]) == ["Greet"]


def test_nothing_to_commit_and_nothing_to_amend_are_said(hub: ForgeHub) -> None:
    session = hub.new("Nothing", start=False)
    assert "nothing to commit" in hub.refusal(session["id"], "commit", message="x").message
    (Path(session["worktree"]) / "a.txt").write_text("a\n")
    refused = hub.refusal(session["id"], "commit", message="x", amend=True)
    assert "no commit of its own to amend" in refused.message
    assert "not a file" in hub.refusal(session["id"], "commit", paths=["../x"]).message


def test_a_merge_in_progress_and_a_foreign_branch_are_said(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    worktree = Path(session["worktree"])
    git_dir = Path(hub.git("rev-parse", "--absolute-git-dir", cwd=worktree).strip())
    (git_dir / "MERGE_HEAD").write_text(hub.git("rev-parse", "HEAD", cwd=worktree))
    assert "merge is in progress" in hub.refusal(session["id"], "commit", message="x").message
    (git_dir / "MERGE_HEAD").unlink()
    hub.git("switch", "-q", "-c", "elsewhere", cwd=worktree)
    assert "not on its own branch" in hub.refusal(session["id"], "commit", message="x").message


def test_a_repository_inside_the_worktree_is_not_swallowed(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    inner = Path(session["worktree"]) / "vendored"
    inner.mkdir()
    hub.git("init", "-q", cwd=inner)
    hub.git("commit", "-q", "--allow-empty", "-m", "x", cwd=inner)
    refused = hub.refusal(session["id"], "commit", message="x")
    assert "vendored is a git repository of its own" in refused.message


def test_while_the_agent_works_it_is_said(hub: ForgeHub) -> None:
    session = hub.new(script(hold("go.ignored"), {"text": "done"}), name="busy")
    eventually(lambda: "tool_called" in hub.types(session["id"]))
    (Path(session["worktree"]) / "half.txt").write_text("half\n")
    assert "is at work" in hub.refusal(session["id"], "commit", message="x").message
    made = hub.act(session["id"], "commit", message="Half", anyway=True)
    assert made["commit"]
    (Path(session["worktree"]) / "go.ignored").touch()
    hub.wait_idle(session["id"])


def test_a_merge_waits_for_the_commit_that_is_being_made(hub: ForgeHub, tmp_path: Path) -> None:
    session = hub.work(committed=False)
    begun, release = tmp_path / "begun", tmp_path / "release"
    hook(hub, "pre-commit", f"touch {begun}; while [ ! -e {release} ]; do sleep 0.05; done")
    with ThreadPoolExecutor(2) as hands:
        committed = hands.submit(hub.act, session["id"], "commit", message="Greet")
        eventually(begun.exists)
        merged = hands.submit(hub.act, session["id"], "merge", method="squash")
        assert not wait([merged], timeout=0.5).done
        release.touch()
        assert committed.result()["commit"]
        assert merged.result()["commits"] == ["Greet"]


POINTS = [
    *("before:commit.git", "done:commit.git", "after:commit.git"),
    *("before:commit.index", "done:commit.index", "after:commit.index"),
]


@pytest.mark.parametrize("point", POINTS)
def test_killed_anywhere_and_repeated_it_is_one_commit(hub: ForgeHub, point: str) -> None:
    session = hub.work(committed=False)
    hub.dies_at(point, session["id"], "commit", message="Greet")
    made = hub.act(session["id"], "commit", message="Greet")
    assert commits(hub, session["branch"]) == ["Greet"]
    assert made["commit"] == hub.git("rev-parse", session["branch"], cwd=hub.repo).strip()
    assert hub.git("status", "--porcelain", cwd=Path(session["worktree"])) == ""
    assert len(of_type(hub.events(session["id"]), "commit_made")) == 1


@pytest.mark.parametrize("point", POINTS)
def test_killed_anywhere_the_next_hub_makes_it_unasked(hub: ForgeHub, point: str) -> None:
    session = hub.work(committed=False)
    hub.dies_at(point, session["id"], "commit", message="Greet")
    hub.await_jobs(session["id"])
    assert commits(hub, session["branch"]) == ["Greet"]
    assert "nothing to commit" in hub.refusal(session["id"], "commit", message="Other").message
    assert len(of_type(hub.events(session["id"]), "commit_made")) == 1


def test_cut_off_before_git_ran_it_commits_nothing_that_came_since(hub: ForgeHub) -> None:
    """What a branch has become meanwhile is not what the person asked to commit."""
    session = hub.work(committed=False)
    worktree = Path(session["worktree"])

    def go_on() -> None:
        hub.git("commit", "-q", "--allow-empty", "-m", "By hand", cwd=worktree)

    hub.dies_at("before:commit.git", session["id"], "commit", meanwhile=go_on, message="Greet")
    hub.await_jobs(session["id"])
    assert commits(hub, session["branch"]) == ["By hand"]
    [failed] = of_type(hub.events(session["id"]), "commit_failed")
    assert "has moved on" in failed["error"]


def test_asked_twice_by_one_command_it_is_one_commit(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    path, asked = f"/api/sessions/{session['id']}/commit", {"message": "Greet"}
    made = hub.post(path, asked, command="greet-once")
    assert hub.post(path, asked, command="greet-once") == made
    assert "nothing to commit" in hub.refusal(session["id"], "commit", message="Greet").message


def test_killed_while_a_hook_runs_the_repeat_waits_for_it(hub: ForgeHub, tmp_path: Path) -> None:
    """The hub dies in the middle of git's own run; git goes on without it."""
    session = hub.work(committed=False)
    begun, release = tmp_path / "begun", tmp_path / "release"
    hook(hub, "pre-commit", f"touch {begun}; while [ ! -e {release} ]; do sleep 0.05; done")

    def ask() -> None:
        with contextlib.suppress(OSError, http.client.HTTPException, Refused):
            hub.act(session["id"], "commit", message="Greet")

    asking = threading.Thread(target=ask)
    asking.start()
    eventually(begun.exists)
    hub.restart()
    asking.join()
    release.touch()
    made = hub.act(session["id"], "commit", message="Greet")
    assert commits(hub, session["branch"]) == ["Greet"]
    assert made["commit"] == hub.git("rev-parse", session["branch"], cwd=hub.repo).strip()
