"""Merging a session here: the tree that was checked, moved in one step, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import Json, Refused, RunningHub, eventually, of_type
from tests.support.lines_hub import hub
from tests.support.sides import numbered

__all__ = ["hub"]

POINTS = (
    "before:merge.checkpoint",
    "after:merge.checkpoint",
    "after:merge.prepare",
    "done:merge.check",
    "before:merge.move",
    "done:merge.move",
    "after:merge.move",
)


def session(hub: RunningHub, name: str, lines: dict[str, list[int]]) -> Json:
    """With one commit per file."""
    made = hub.new("", name=name, start=False)
    hub.wait_idle(made["id"])
    worktree = Path(made["worktree"])
    for file, which in lines.items():
        (worktree / file).write_text(numbered(30, which, name))
        hub.git("add", "-A", cwd=worktree)
        hub.git("commit", "-q", "-m", f"{name} on {file}", cwd=worktree)
    return made


def merge(hub: RunningHub, made: Json, **how: object) -> Json:
    return hub.act(made["id"], "merge", **how)


def at(hub: RunningHub, ref: str) -> str:
    return hub.git("rev-parse", ref, cwd=hub.repo).strip()


def with_checks(hub: RunningHub, *commands: str, timeout: float | None = None) -> None:
    listed = ", ".join(f'"{c}"' for c in commands)
    bound = f"timeout = {timeout}\n" if timeout else ""
    (hub.repo / ".manyhands.toml").write_text(f"[checks]\nrun = [{listed}]\n{bound}")
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-q", "-m", "Checks", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_the_target_gets_the_work_and_its_clean_checkout_comes_along(
    hub: RunningHub, method: str
) -> None:
    a = session(hub, "Alpha", {"one.txt": [3], "new.txt": [1]})
    (hub.repo / "two.txt").write_text(numbered(30, [9], "main"))
    hub.git("commit", "-qam", "Meanwhile", cwd=hub.repo)
    before = at(hub, "main")
    dry = merge(hub, a, method=method, dry_run=True)
    assert (dry["dry_run"], dry["into"], len(dry["commits"])) == (True, "main", 2)
    assert at(hub, "main") == before
    done = merge(hub, a, method=method)
    assert at(hub, "main") == done["commit"]
    assert hub.git("status", "--porcelain", cwd=hub.repo) == ""
    assert "Alpha 3" in (hub.repo / "one.txt").read_text()
    assert "main 9" in (hub.repo / "two.txt").read_text()
    parents = hub.git("log", "-1", "--format=%P", "main", cwd=hub.repo).split()
    count = int(hub.git("rev-list", "--count", f"{before}..main", cwd=hub.repo))
    assert (len(parents), count) == {"merge": (2, 3), "squash": (1, 1), "rebase": (1, 2)}[method]
    who = hub.git("log", "-1", "--format=%an %ae %cn", "main", cwd=hub.repo).strip()
    assert who == "Test Person person@example.invalid Test Person"
    again = merge(hub, a, method=method)
    assert (again["already"], at(hub, "main")) == (True, done["commit"])
    assert of_type(hub.events(a["id"]), "checkpoint_made")


def test_a_target_that_nobody_has_checked_out_moves_alone(hub: RunningHub) -> None:
    a = session(hub, "Alpha", {"one.txt": [3]})
    hub.git("branch", "release", "main", cwd=hub.repo)
    (hub.repo / "one.txt").write_text("the user's own unfinished work\n")
    done = merge(hub, a, into="release")
    assert at(hub, "release") == done["commit"]
    assert (hub.repo / "one.txt").read_text() == "the user's own unfinished work\n"


def test_a_dirty_checkout_is_not_moved_under_its_user(hub: RunningHub) -> None:
    a = session(hub, "Alpha", {"one.txt": [3], "new.txt": [1]})
    (hub.repo / "two.txt").write_text("unfinished\n")
    before = at(hub, "main")
    with pytest.raises(Refused, match=r"two\.txt.*not moved under you") as caught:
        merge(hub, a)
    assert "stash" in caught.value.hint
    hub.git("checkout", "-q", "two.txt", cwd=hub.repo)
    (hub.repo / "new.txt").write_text("untracked, and in the way\n")
    with pytest.raises(Refused, match=r"could not be brought forward.*new\.txt"):
        merge(hub, a)
    assert (at(hub, "main"), at(hub, "HEAD")) == (before, before)
    assert (hub.repo / "new.txt").read_text() == "untracked, and in the way\n"
    assert hub.show(a["id"])["status"] == "idle"


def test_what_cannot_be_merged_is_said_in_one_sentence(hub: RunningHub) -> None:
    a, b = session(hub, "Alpha", {"one.txt": [3]}), session(hub, "Beta", {"one.txt": [3]})
    empty = session(hub, "Empty", {})
    with pytest.raises(Refused, match="nothing to merge"):
        merge(hub, empty)
    (Path(a["worktree"]) / "one.txt").write_text("more\n")
    with pytest.raises(Refused, match=r"not committed: one\.txt") as caught:
        merge(hub, a)
    assert "manyhands commit alpha" in caught.value.hint
    hub.git("checkout", "-q", "one.txt", cwd=Path(a["worktree"]))
    merge(hub, a)
    with pytest.raises(Refused, match=r"conflict in one\.txt") as caught:
        merge(hub, b)
    assert "manyhands update beta" in caught.value.hint
    with pytest.raises(Refused, match="no local branch nowhere"):
        merge(hub, b, into="nowhere")
    moved = eventually(lambda: of_type(hub.events(b["id"]), "base_moved"))
    assert [(m["by"], m["commit"]) for m in moved] == [(a["id"], at(hub, "main"))]
    assert not of_type(hub.events(a["id"]), "base_moved")
    eventually(lambda: any(c["base"] for c in hub.get("/api/conflicts")))


def test_the_checked_tree_is_the_merged_tree_and_a_failing_check_merges_nothing(
    hub: RunningHub, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    with_checks(hub, f"git rev-parse HEAD^{{tree}} > {seen}", "grep -q good verdict.txt")
    a = session(hub, "Alpha", {"one.txt": [3]})
    before = at(hub, "main")
    with pytest.raises(Refused, match=r"`grep -q good verdict\.txt` failed") as caught:
        merge(hub, a)
    assert "nothing was merged" in caught.value.message
    assert at(hub, "main") == before
    (Path(a["worktree"]) / "verdict.txt").write_text("good\n")
    hub.git("add", "-A", cwd=Path(a["worktree"]))
    hub.git("commit", "-q", "-m", "Verdict", cwd=Path(a["worktree"]))
    done = merge(hub, a)
    assert len(done["checks"]) == 2
    assert seen.read_text().strip() == at(hub, f"{done['commit']}^{{tree}}")
    assert "checks" not in hub.git("worktree", "list", cwd=hub.repo)


def test_a_check_that_hangs_is_ended_and_a_base_that_moves_meanwhile_is_left_alone(
    hub: RunningHub, tmp_path: Path
) -> None:
    with_checks(hub, "sleep 1000", timeout=0.5)
    a = session(hub, "Alpha", {"one.txt": [3]})
    before = at(hub, "main")
    with pytest.raises(Refused, match=r"no end after 0\.5 seconds"):
        merge(hub, a)
    assert at(hub, "main") == before
    with_checks(hub, f"git -C {hub.repo} commit -q --allow-empty -m Moved")
    with pytest.raises(Refused, match="main moved meanwhile") as caught:
        merge(hub, a)
    assert caught.value.hint == "merge again"
    assert hub.git("log", "-1", "--format=%s", cwd=hub.repo) == "Moved\n"


def test_checks_that_nobody_trusted_are_not_run(hub: RunningHub, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    a = session(hub, "Alpha", {"one.txt": [3]})
    worktree = Path(a["worktree"])
    (worktree / ".manyhands.toml").write_text(f'[checks]\nrun = ["touch {ran}"]\n')
    hub.git("add", "-A", cwd=worktree)
    hub.git("commit", "-q", "-m", "Own checks", cwd=worktree)
    with pytest.raises(Refused) as caught:
        merge(hub, a)
    assert (caught.value.status, ran.exists()) == (403, False)
    hub.answer(a["id"], "trust")
    merge(hub, a)
    assert ran.exists()


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_step_and_repeated_it_is_one_merge(hub: RunningHub, point: str) -> None:
    with_checks(hub, "true")
    a = session(hub, "Alpha", {"one.txt": [3]})
    before = at(hub, "main")
    hub.fate.write_text(point)
    with pytest.raises(OSError):  # noqa: PT011 - the connection breaks off in one way or another
        merge(hub, a)
    hub.fate.unlink()
    hub.restart()
    merge(hub, a)
    assert hub.git("rev-list", "--count", "--merges", f"{before}..main", cwd=hub.repo) == "1\n"
    assert "Alpha 3" in (hub.repo / "one.txt").read_text()
    assert hub.git("status", "--porcelain", cwd=hub.repo) == ""
    assert len(of_type(hub.events(a["id"]), "session_merged")) == 1
    assert "checks" not in hub.git("worktree", "list", cwd=hub.repo)
