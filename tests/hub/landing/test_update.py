"""Bringing the base into a session: cleanly, with conflicts for its agent, and back again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hub.landing.test_merge import session
from tests.support.driver import Json, Refused, RunningHub, eventually, of_type
from tests.support.guarded import contents
from tests.support.lines_hub import hub
from tests.support.sides import numbered

__all__ = ["hub"]

POINTS = (
    "before:update.keeper",
    "after:update.keeper",
    "done:update.checkpoint",
    "after:update.checkpoint",
    "done:update.base",
    "after:update.base",
)


def move_main(hub: RunningHub, lines: list[int], file: str = "one.txt") -> str:
    (hub.repo / file).write_text(numbered(30, lines, "main"))
    hub.git("commit", "-qam", "Main on it", cwd=hub.repo)
    return hub.git("rev-parse", "main", cwd=hub.repo).strip()


def update(hub: RunningHub, made: Json, **how: object) -> Json:
    return hub.act(made["id"], "update", **how)


@pytest.mark.parametrize("method", ["merge", "rebase"])
def test_a_base_that_fits_comes_in_and_the_diff_is_against_it(hub: RunningHub, method: str) -> None:
    a = session(hub, "Alpha", {"one.txt": [3]})
    tip = move_main(hub, [25])
    assert update(hub, a, method=method)["commit"] == tip
    worktree = Path(a["worktree"])
    text = (worktree / "one.txt").read_text()
    assert "Alpha 3" in text
    assert "main 25" in text
    assert hub.git("status", "--porcelain", cwd=worktree) == ""
    diff = hub.get(f"/api/sessions/{a['id']}/diff")
    assert [(f["added"], f["removed"]) for f in diff["files"]] == [(1, 1)]
    assert update(hub, a)["already"]


@pytest.mark.parametrize("method", ["merge", "rebase"])
def test_conflicts_go_to_the_agent_and_an_abort_restores_exactly(
    hub: RunningHub, method: str
) -> None:
    a = session(hub, "Alpha", {"one.txt": [3]})
    worktree = Path(a["worktree"])
    (worktree / "untracked.txt").write_text("mine\n")
    before = contents(worktree)
    head = hub.git("rev-parse", "HEAD", cwd=worktree)
    index = hub.git("ls-files", "-s", cwd=worktree)
    move_main(hub, [3])
    assert update(hub, a, method=method)["conflicts"] == ["one.txt"]
    said = of_type(hub.events(a["id"]), "user_message")[-1]["text"]
    assert "Alpha on one.txt" in said
    assert "Main on it" in said
    eventually(lambda: hub.show(a["id"])["status"] in ("idle", "waiting"))
    with pytest.raises(Refused, match=r"conflicts of an earlier update: one\.txt"):
        update(hub, a)
    update(hub, a, abort=True)
    assert contents(worktree) == before
    assert hub.git("rev-parse", "HEAD", cwd=worktree) == head
    assert hub.git("ls-files", "-s", cwd=worktree) == index
    assert hub.git("status", "--porcelain", cwd=worktree) == "?? untracked.txt\n"
    assert hub.git("branch", "--show-current", cwd=worktree).strip() == a["branch"]
    assert hub.show(a["id"])["base_commit"] == a["base_commit"]
    with pytest.raises(Refused, match="no update"):
        update(hub, a, abort=True)


def test_settled_conflicts_end_the_update_and_the_session_merges(hub: RunningHub) -> None:
    a = session(hub, "Alpha", {"one.txt": [3]})
    worktree = Path(a["worktree"])
    tip = move_main(hub, [3])
    update(hub, a)
    eventually(lambda: hub.show(a["id"])["status"] in ("idle", "waiting"))
    (worktree / "one.txt").write_text(numbered(30, [3], "both"))
    hub.git("commit", "-qam", "Settled", cwd=worktree)
    assert update(hub, a)["already"]
    assert of_type(hub.events(a["id"]), "update_finished")
    assert hub.get("/api/conflicts", fresh=True) == []
    done = hub.act(a["id"], "merge")
    assert done["before"] == tip


def test_uncommitted_work_and_a_base_that_is_gone_are_said(hub: RunningHub) -> None:
    a = session(hub, "Alpha", {"one.txt": [3]})
    move_main(hub, [25])
    (Path(a["worktree"]) / "two.txt").write_text("unfinished\n")
    with pytest.raises(Refused, match=r"not committed: two\.txt"):
        update(hub, a)
    assert (Path(a["worktree"]) / "two.txt").read_text() == "unfinished\n"


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_step_it_is_carried_on(hub: RunningHub, point: str) -> None:
    a = session(hub, "Alpha", {"one.txt": [3]})
    tip = move_main(hub, [25])
    hub.fate.write_text(point)
    with pytest.raises(OSError):  # noqa: PT011 - the connection breaks off in one way or another
        update(hub, a)
    hub.fate.unlink()
    hub.restart()
    eventually(lambda: hub.show(a["id"])["base_commit"] == tip)
    assert "main 25" in (Path(a["worktree"]) / "one.txt").read_text()
    assert hub.git("status", "--porcelain", cwd=Path(a["worktree"])) == ""
