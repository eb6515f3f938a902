"""Sessions on a branch that exists, and in the main checkout itself."""

from __future__ import annotations

from http.client import HTTPException
from pathlib import Path

import pytest

from tests.support.driver import Refused
from tests.support.pool_hub import PoolHub


@pytest.fixture
def feature(hub: PoolHub) -> str:
    """The tip of a branch `feature` with a commit of its own."""
    hub.git("switch", "-q", "-c", "feature", cwd=hub.repo)
    tip = hub.commit({"feature.txt": "1\n"})
    hub.git("switch", "-q", "main", cwd=hub.repo)
    hub.commit({"main.txt": "1\n"})
    return tip


def test_a_session_works_on_a_branch_that_exists(hub: PoolHub, feature: str) -> None:
    session = hub.plain("Go on", branch="feature")
    assert (session["branch"], hub.branch(session), hub.head(session)) == (
        "feature",
        "feature",
        feature,
    )
    files = hub.get(f"/api/sessions/{session['id']}/diff")["files"]
    assert [f["path"] for f in files] == ["feature.txt"]


def test_a_branch_in_use_is_not_taken_twice(hub: PoolHub, feature: str) -> None:
    hub.plain("Go on", branch="feature")
    with pytest.raises(Refused, match="checked out at"):
        hub.plain("Me too", branch="feature")
    with pytest.raises(Refused, match="checked out at") as refused:
        hub.plain("Main", branch="main")
    assert "--in-place" in refused.value.hint


def test_a_branch_that_only_a_remote_has_is_made_from_it(
    hub: PoolHub, feature: str, tmp_path: Path
) -> None:
    hub.git("update-ref", "refs/remotes/origin/feature", feature, cwd=hub.repo)
    hub.git("branch", "-D", "feature", cwd=hub.repo)
    config = (hub.repo / ".git/config").read_bytes()
    session = hub.plain("Go on", branch="feature")
    assert (hub.branch(session), hub.head(session)) == ("feature", feature)
    assert (hub.repo / ".git/config").read_bytes() == config


def test_a_branch_that_is_not_there_is_made_with_that_name(hub: PoolHub) -> None:
    session = hub.plain("Anything", branch="Team/Exact.Name")
    assert hub.branch(session) == session["branch"] == "Team/Exact.Name"
    with pytest.raises(Refused):
        hub.plain("Bad name", branch="a..b")


def test_a_failed_creation_leaves_an_existing_branch_alone(hub: PoolHub, feature: str) -> None:
    hub.fate.write_text("before:create.worktree")
    with pytest.raises((OSError, HTTPException)):
        hub.plain("Cut off", branch="feature")
    hub.fate.unlink()
    hub.kill()
    hub.start()
    session = hub.act("cut-off", "resume")
    hub.wait("cut-off")
    assert (hub.branch(session), hub.head(session)) == ("feature", feature)


def test_in_place_is_the_main_checkout_as_it_is(hub: PoolHub) -> None:
    (hub.repo / "README.md").write_text("half done\n")
    (hub.repo / ".env").write_text("SECRET=1\n")
    before = hub.git("status", "--porcelain", cwd=hub.repo)
    session = hub.plain("Here", in_place=True)
    assert (session["in_place"], session["worktree"]) == (True, str(hub.repo))
    assert (session["branch"], session["status"]) == ("main", "idle")
    assert "main checkout" in hub.notes(session["id"])[0]
    assert hub.git("status", "--porcelain", cwd=hub.repo) == before
    assert hub.git("worktree", "list", cwd=hub.repo).count("\n") == 1
    assert [f["path"] for f in hub.get(f"/api/sessions/{session['id']}/diff")["files"]] == [
        "README.md"
    ]


def test_only_one_works_in_place_and_archiving_it_moves_nothing(hub: PoolHub) -> None:
    (hub.repo / "README.md").write_text("half done\n")
    first = hub.plain("First", in_place=True)
    with pytest.raises(Refused, match="only one can"):
        hub.plain("Second", in_place=True)
    hub.act(first["id"], "archive")
    assert (hub.repo / "README.md").read_text() == "half done\n"
    assert hub.git("branch", "--show-current", cwd=hub.repo).strip() == "main"
    second = hub.plain("Second", in_place=True)
    with pytest.raises(Refused, match="only one can"):
        hub.act(first["id"], "restore")
    hub.act(second["id"], "archive")
    assert hub.act(first["id"], "restore")["status"] == "idle"


def test_in_place_takes_no_base_and_no_branch(hub: PoolHub) -> None:
    for more in ({"base": "main"}, {"branch": "x"}):
        with pytest.raises(Refused, match="leave out"):
            hub.plain("Both", in_place=True, **more)
