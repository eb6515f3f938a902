"""An agent that works on another branch: all that lands says so alike, with a way back."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.support.driver import Json, Refused
from tests.support.forge.hub import ForgeHub


def refusals(hub: ForgeHub, session: Json) -> list[Refused]:
    asked: tuple[tuple[str, dict[str, object]], ...] = (
        ("commit", {"message": "x"}),
        ("merge", {}),
        ("merge", {"dry_run": True}),
        ("pr", {}),
    )
    return [hub.refusal(session["id"], operation, **body) for operation, body in asked]


def follow(hub: ForgeHub, worktree: Path, hint: str) -> None:
    """What the hint names, in the worktree."""
    for words in hint.split("`")[1::2]:
        hub.git(*shlex.split(words)[1:], cwd=worktree)


@pytest.mark.parametrize("how", [("-c", "else;where"), ("--detach",)])
def test_it_is_said_alike_and_the_way_back_takes_the_work_along(
    hub: ForgeHub, how: tuple[str, ...]
) -> None:
    session = hub.work()
    worktree = Path(session["worktree"])
    hub.git("switch", "-q", *how, cwd=worktree)
    (worktree / "strayed.txt").write_text("strayed\n")
    hub.git("add", "-A", cwd=worktree)
    hub.git("commit", "-q", "-m", "Strayed", cwd=worktree)
    found = refusals(hub, session)
    assert len({(refused.message, refused.hint) for refused in found}) == 1
    place = "the branch else;where" if "-c" in how else "no branch (HEAD is detached at "
    assert f"is on {place}" in found[0].message
    assert f"not on its own branch {session['branch']}" in found[0].message
    follow(hub, worktree, found[0].hint)
    hub.act(session["id"], "merge", method="squash")
    assert (hub.repo / "strayed.txt").read_text() == "strayed\n"


def test_where_nothing_was_committed_elsewhere_going_back_is_all(hub: ForgeHub) -> None:
    session = hub.work()
    worktree = Path(session["worktree"])
    hub.git("switch", "-q", "--detach", cwd=worktree)
    [hint] = {refused.hint for refused in refusals(hub, session)}
    assert "git merge" not in hint
    follow(hub, worktree, hint)
    assert hub.act(session["id"], "merge")["commit"]


@pytest.mark.parametrize("how", [("branch", "-m", "my;own"), ("switch", "-q", "--detach")])
def test_a_branch_that_is_gone_comes_back_by_the_hint(hub: ForgeHub, how: tuple[str, ...]) -> None:
    session = hub.work()
    worktree, branch = Path(session["worktree"]), session["branch"]
    hub.git(*how, cwd=worktree)
    if "--detach" in how:
        hub.git("update-ref", "-d", f"refs/heads/{branch}", cwd=worktree)
    [hint] = {refused.hint for refused in refusals(hub, session)}
    follow(hub, worktree, hint)
    assert hub.git("branch", "--show-current", cwd=worktree).strip() == branch
    assert hub.act(session["id"], "merge", method="squash")["commit"]
    assert (hub.repo / "add-a-greeting.txt").read_text() == "hello\n"
