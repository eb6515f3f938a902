"""Landing what was made in a box: to the person nothing changes."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.driver import Json, Refused, RunningHub, bash, eventually, of_type, script, write
from tests.support.steps import hold

COMMIT = "git add -A && git commit -qm {}"


@pytest.fixture(scope="module")
def boxed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with RunningHub(tmp_path_factory.mktemp("boxed"), box="full", linger=1.0) as hub:
        hub.start_model()
        yield hub


@pytest.fixture
def hub(boxed: RunningHub) -> RunningHub:
    boxed.change_repo()
    return boxed


def work(hub: RunningHub, *steps: Json, name: str = "Task") -> Json:
    session = hub.new(script(*steps, {"text": "done"}), name=name)
    [done] = hub.wait_idle(session["id"])
    assert done["box"] == "full"
    return done


def say(hub: RunningHub, session: Json, *steps: Json) -> None:
    hub.act(session["id"], "say", text=script(*steps, {"text": "done"}))
    hub.wait_idle(session["id"])


def trust(hub: RunningHub) -> None:
    hub.post("/api/repos/trust", {"path": str(hub.repo)})


def log(hub: RunningHub, ref: str) -> list[str]:
    return hub.git("log", "--format=%s", f"main..{ref}", cwd=hub.repo).splitlines()


def state(hub: RunningHub) -> str:
    """All that sessions must not touch."""
    refs = hub.git("for-each-ref", "refs/heads/main", "refs/tags", "refs/stash", cwd=hub.repo)
    return refs + (hub.repo / ".git" / "config").read_text()


def test_what_an_agent_commits_is_on_the_branch_and_nothing_else_has_changed(
    hub: RunningHub,
) -> None:
    before = state(hub)
    done = work(
        hub,
        write("a.txt", "one\n"),
        bash(COMMIT.format("One")),
        bash("git config user.nickname x; git tag mine; git branch other; git stash list"),
        write("a.txt", "two\n"),
        bash("git commit -qam Two; git commit -q --amend -m Second; echo x > b; git stash -qu"),
    )
    assert log(hub, done["branch"]) == ["Second", "One"]
    worktree = Path(done["worktree"])
    assert hub.git("status", "--porcelain", cwd=worktree) == ""
    assert hub.git("rev-parse", "--abbrev-ref", "HEAD", cwd=worktree).strip() == done["branch"]
    assert state(hub) == before


def test_what_is_staged_is_seen_as_staged(hub: RunningHub) -> None:
    done = work(hub, write("a.txt", "one\n"), write("b.txt", "two\n"), bash("git add a.txt"))
    said = hub.git("status", "--porcelain", cwd=Path(done["worktree"]))
    assert said.splitlines() == ["A  a.txt", "?? b.txt"]


def test_a_commit_by_the_person_is_seen_by_the_agent(hub: RunningHub) -> None:
    done = work(hub, write("a.txt", "one\n"))
    made = hub.act(done["id"], "commit", message="By hand")
    assert log(hub, done["branch"]) == ["By hand"]
    worktree = Path(done["worktree"])
    (worktree / "c.txt").write_text("mine\n")
    hub.git("add", "c.txt", cwd=worktree)
    hub.git("commit", "-qm", "In the worktree", cwd=worktree)
    say(hub, done, bash("git log --format=%s main.. > seen; git status --porcelain >> seen"))
    assert (worktree / "seen").read_text() == "In the worktree\nBy hand\n?? seen\n"
    assert hub.git("rev-parse", f"{done['branch']}~1", cwd=hub.repo).strip() == made["commit"]


def test_a_commit_runs_its_hooks_in_the_box(hub: RunningHub) -> None:
    hook = hub.repo / ".git" / "hooks" / "pre-commit"
    outside = hub.root / "outside"
    hook.write_text(f"#!/bin/sh\ntouch hooked\necho x > {outside}\ngit add hooked\n")
    hook.chmod(0o755)
    trust(hub)
    done = work(hub, write("a.txt", "one\n"))
    hub.act(done["id"], "commit", message="Hooked")
    assert not outside.exists()
    named = hub.git("show", "--format=", "--name-only", done["branch"], cwd=hub.repo)
    assert named.split() == ["a.txt", "hooked"]
    say(hub, done, write("b.txt", "two\n"), bash(COMMIT.format("Again")))
    assert not outside.exists()


def test_conflicts_of_an_update_are_settled_in_the_box(hub: RunningHub) -> None:
    (hub.repo / "a.txt").write_text("base\n")
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-qm", "Base", cwd=hub.repo)
    done = work(hub, write("a.txt", "agent\n"), bash(COMMIT.format("Agent")))
    (hub.repo / "a.txt").write_text("person\n")
    hub.git("commit", "-qam", "Person", cwd=hub.repo)
    told = hub.act(done["id"], "update")
    assert told["conflicts"] == ["a.txt"]
    eventually(lambda: hub.show(done["id"])["status"] in ("idle", "waiting"))
    say(hub, done, write("a.txt", "both\n"), bash("git add a.txt && git commit -qm Both"))
    eventually(lambda: of_type(hub.events(done["id"]), "update_finished"))
    worktree = Path(done["worktree"])
    parents = hub.git("log", "-1", "--format=%p", done["branch"], cwd=hub.repo).split()
    assert len(parents) == 2
    assert hub.git("status", "--porcelain", cwd=worktree) == ""
    merged = hub.act(done["id"], "merge")
    assert merged["into"] == "main"
    assert (hub.repo / "a.txt").read_text() == "both\n"


def test_conflicts_of_an_update_are_settled_by_hand(hub: RunningHub) -> None:
    (hub.repo / "a.txt").write_text("base\n")
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-qm", "Base", cwd=hub.repo)
    done = work(hub, write("a.txt", "agent\n"), bash(COMMIT.format("Agent")))
    (hub.repo / "a.txt").write_text("person\n")
    hub.git("commit", "-qam", "Person", cwd=hub.repo)
    hub.act(done["id"], "update")
    eventually(lambda: hub.show(done["id"])["status"] in ("idle", "waiting"))
    worktree = Path(done["worktree"])
    (worktree / "a.txt").write_text("both\n")
    hub.git("commit", "-qam", "Settled", cwd=worktree)
    assert hub.act(done["id"], "update")["already"]
    say(hub, done, bash("git log -1 --format=%s > seen; git status --porcelain >> seen"))
    assert (worktree / "seen").read_text() == "Settled\n?? seen\n"


def test_a_rewind_takes_git_in_the_box_along(hub: RunningHub) -> None:
    done = work(hub, write("a.txt", "one\n"), bash(COMMIT.format("One")))
    say(hub, done, write("a.txt", "two\n"), bash(COMMIT.format("Two")), bash("git switch -qc x"))
    hub.act(done["id"], "rewind", checkpoint="1")
    worktree = Path(done["worktree"])
    assert (worktree / "a.txt").read_text() == "one\n"
    assert log(hub, done["branch"]) == ["One"]
    assert hub.git("status", "--porcelain", cwd=worktree) == ""
    say(hub, done, write("a.txt", "three\n"), bash(COMMIT.format("Three")))
    assert log(hub, done["branch"]) == ["Three", "One"]


def test_archived_and_restored_its_git_is_as_it_was(hub: RunningHub) -> None:
    done = work(
        hub,
        write("a.txt", "one\n"),
        bash(COMMIT.format("One")),
        bash("git commit -q --amend -m Better; echo x > b.txt; git stash -qu; git branch kept"),
    )
    hub.act(done["id"], "archive")
    hub.git("gc", "--quiet", "--prune=now", cwd=hub.repo)
    hub.act(done["id"], "restore")
    say(
        hub,
        done,
        bash("git stash pop -q; git log -g --format=%s > c.txt; git rev-parse kept"),
    )
    worktree = Path(done["worktree"])
    assert (worktree / "b.txt").read_text() == "x\n"
    assert "One" in (worktree / "c.txt").read_text().splitlines()


def test_checks_and_setup_run_in_a_box(hub: RunningHub) -> None:
    outside = hub.root / "outside"
    run = f"git log -1 --format=%s > made; cat made; echo x > {outside}; true"
    (hub.repo / ".manyhands.toml").write_text(
        f"[setup]\nrun = ['{run}']\n[checks]\nrun = ['{run}', 'test -s made']\n"
    )
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-qm", "Config", cwd=hub.repo)
    trust(hub)
    done = work(hub, write("a.txt", "one\n"), bash("git add a.txt && git commit -qm One"))
    assert (Path(done["worktree"]) / "made").read_text() == "Config\n"
    (Path(done["worktree"]) / "made").unlink()
    hub.act(done["id"], "merge")
    assert not outside.exists()


def test_a_keeper_that_is_killed_loses_no_commit(hub: RunningHub) -> None:
    steps = [write("a.txt", "one\n"), bash(COMMIT.format("One")), bash("touch ready; sleep 600")]
    session = hub.new(script(*steps))
    worktree = Path(session["worktree"])
    eventually((worktree / "ready").exists)
    hub.keeper(session["id"]).kill()
    eventually(lambda: of_type(hub.events(session["id"]), "keeper_exited"))
    # The hub begins another one, which goes on.
    eventually(lambda: len(of_type(hub.events(session["id"]), "turn_started")) == 2)
    hub.act(session["id"], "stop")
    hub.wait_idle(session["id"])
    assert log(hub, session["branch"]) == ["One"]


SPOILT = """\
git add -A
tree=$(git write-tree)
commit=$(git commit-tree -p HEAD -m Two $tree)
blob=$(git rev-parse $tree:b.txt)
file=$(git rev-parse --git-dir)/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)
chmod u+w $file
echo > $file
git update-ref HEAD $commit
"""


def run(hub: RunningHub, session: Json, text: str) -> None:
    """What is judged by nobody but the box."""
    say(hub, session, write("b.txt", "two\n"), write("run.sh", text), bash("sh run.sh"))
    (Path(session["worktree"]) / "run.sh").unlink()
    eventually(lambda: not hub.has_keeper(session["id"]))


def test_a_git_directory_that_its_agent_has_ruined_is_made_anew(hub: RunningHub) -> None:
    done = work(hub, write("a.txt", "one\n"), bash(COMMIT.format("One")))
    run(hub, done, "rm -f $(git rev-parse --git-dir)/HEAD\n")
    say(hub, done, bash(COMMIT.format("Two")))
    assert log(hub, done["branch"]) == ["Two", "One"]
    assert (hub.home.sessions / done["id"] / "box" / "twin.aside-1").is_dir()


def test_one_that_nothing_can_be_taken_from_is_told_of_and_mended(hub: RunningHub) -> None:
    done = work(hub, write("a.txt", "one\n"), bash(COMMIT.format("One")))
    run(hub, done, SPOILT)
    assert log(hub, done["branch"]) == ["One"]
    with pytest.raises(Refused, match="does not come over"):
        hub.act(done["id"], "commit", message="Again")
    found = [f for f in hub.get("/api/doctor") if done["worktree"] in f["detail"]]
    assert ["doctor --fix" in f["fix"] for f in found] == [True]
    hub.post("/api/doctor", {"fix": True})
    assert [f for f in hub.get("/api/doctor") if done["worktree"] in f["detail"]] == []
    hub.act(done["id"], "commit", message="Again")
    assert log(hub, done["branch"]) == ["Again", "One"]


def test_two_that_went_apart_are_told_of_until_the_way_out_is_gone(hub: RunningHub) -> None:
    steps = [write("a.txt", "one\n"), bash(COMMIT.format("One")), hold("go"), bash("rm go")]
    steps += [write("b.txt", "two\n"), bash(COMMIT.format("Two")), {"text": "done"}]
    session = hub.new(script(*steps))
    worktree = Path(session["worktree"])
    eventually(lambda: log(hub, session["branch"]) == ["One"])
    hub.git("commit", "--quiet", "--amend", "-m", "Mine", cwd=worktree)
    (worktree / "go").touch()
    hub.wait_idle(session["id"])
    eventually(lambda: not hub.has_keeper(session["id"]))
    assert log(hub, session["branch"]) == ["Mine"]
    [found] = [f for f in hub.get("/api/doctor") if str(worktree) in f["detail"]]
    assert "neither has all of the other" in found["detail"]
    with pytest.raises(Refused, match="neither has all of the other"):
        hub.act(session["id"], "commit", message="All")
    _, as_in_the_box, _ = found["fix"].rsplit("`", 2)
    subprocess.run(shlex.split(as_in_the_box), check=True)
    assert [f for f in hub.get("/api/doctor") if str(worktree) in f["detail"]] == []
    assert log(hub, session["branch"]) == ["Two", "One"]


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="manyhands-") as place:
        yield Path(place)


def test_a_worktree_on_another_file_system_than_its_repository(
    hub: RunningHub, elsewhere: Path
) -> None:
    hub.repo = hub.make_repo(elsewhere / "repo")
    done = work(hub, write("a.txt", "one\n"), bash(COMMIT.format("One")))
    assert Path(done["worktree"]).stat().st_dev != hub.repo.stat().st_dev
    assert log(hub, done["branch"]) == ["One"]
    hub.act(done["id"], "archive")
    hub.act(done["id"], "restore")
    say(hub, done, write("a.txt", "two\n"), bash(COMMIT.format("Two")))
    hub.act(done["id"], "merge")
    assert hub.git("show", "main:a.txt", cwd=hub.repo) == "two\n"
