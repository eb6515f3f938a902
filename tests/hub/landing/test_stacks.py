"""Stacks: proposed to the branch below, and taken along once that has landed, however it did."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.driver import Json, Refused, eventually, of_type
from tests.support.forge.github_server import Fault, GitHubServer
from tests.support.forge.github_state import Pull
from tests.support.forge.hub import ForgeHub


def stacked(hub: ForgeHub) -> tuple[Json, Json]:
    """A session and one on top of it, both proposed."""
    below = hub.work("below")
    hub.act(below["id"], "pr")
    above = hub.work("above", base=below["branch"])
    hub.act(above["id"], "pr")
    return below, above


def pull_of(forge: GitHubServer, session: Json) -> Pull:
    [found] = [p for p in forge.state.pulls.values() if p.head == session["branch"]]
    seen: Pull = forge.state.look(found)
    return seen


def own_commits(hub: ForgeHub, session: Json, base: str) -> list[str]:
    span = f"{base}..{session['branch']}"
    return hub.git("log", "--format=%s", span, cwd=hub.repo).splitlines()


def settled(hub: ForgeHub, session: Json) -> Json:
    """The session, once it has followed and all that it was to do for that is done."""
    eventually(lambda: of_type(hub.events(session["id"]), "base_landed"))
    [landed] = of_type(hub.events(session["id"]), "base_landed")
    if landed.get("moves"):
        eventually(lambda: of_type(hub.events(session["id"]), "restack_ended"))
    return landed


def test_it_goes_to_the_branch_below_and_follows_a_squash(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    below = hub.work("below")
    above = hub.work("above", base=below["branch"])
    refused = hub.refusal(above["id"], "pr")
    assert "stacked on below" in refused.message
    hub.act(below["id"], "pr")
    plan = hub.get(f"/api/sessions/{above['id']}/pr/plan")
    assert (plan["stacked"], plan["base"], plan["commits"]) == (below["id"], below["branch"], 1)
    hub.act(above["id"], "pr")
    assert pull_of(forge, above).base == below["branch"]
    hub.act(below["id"], "pr/merge", method="squash")
    landed = settled(hub, above)
    assert (landed["base"], landed["was"], landed["by"]) == (
        "origin/main",
        below["branch"],
        below["id"],
    )
    shown = hub.show(above["id"])
    assert (shown["base"], shown["pr"]["base"]) == ("origin/main", "main")
    assert own_commits(hub, above, "origin/main") == ["Add above"]
    assert pull_of(forge, above).base == "main"
    tip = hub.git("rev-parse", above["branch"], cwd=hub.repo).strip()
    assert (pull_of(forge, above).sha, shown["base_commit"]) == (
        tip,
        hub.git("rev-parse", "origin/main", cwd=hub.repo).strip(),
    )
    assert "above.txt" in hub.git("ls-tree", "--name-only", tip, cwd=hub.repo)
    [note] = of_type(hub.events(above["id"]), "note_made")
    assert "of below has landed in origin/main" in note["text"]


def test_after_a_merge_here_its_commits_stay_as_they_are(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    below, above = stacked(hub)
    tip = hub.git("rev-parse", above["branch"], cwd=hub.repo).strip()
    hub.act(below["id"], "merge", into="main")
    landed = settled(hub, above)
    assert (landed["base"], landed.get("moves", False)) == ("main", False)
    assert hub.git("rev-parse", above["branch"], cwd=hub.repo).strip() == tip
    assert pull_of(forge, above).base == "main"
    hub.act(above["id"], "merge", into="main")
    assert own_commits(hub, above, "main") == []


@pytest.mark.parametrize(
    "point", ["after:merge-pr.merge", "before:update.base", "done:update.base", "after:update.base"]
)
def test_killed_at_any_point_it_follows_once(
    hub: ForgeHub, forge: GitHubServer, point: str
) -> None:
    below, above = stacked(hub)
    hub.fate.write_text(point)
    with suppress(OSError, Refused):
        hub.act(below["id"], "pr/merge", method="squash")
    assert hub.process is not None
    hub.process.communicate(timeout=120)
    hub.process = None
    hub.fate.unlink()
    hub.start()
    settled(hub, above)
    assert own_commits(hub, above, "origin/main") == ["Add above"]
    assert len(of_type(hub.events(above["id"]), "base_landed")) == 1
    tip = hub.git("rev-parse", above["branch"], cwd=hub.repo).strip()
    assert (pull_of(forge, above).base, pull_of(forge, above).sha) == ("main", tip)


def test_work_that_is_not_committed_is_waited_for(hub: ForgeHub, forge: GitHubServer) -> None:
    below, above = stacked(hub)
    (Path(above["worktree"]) / "above.txt").write_text("hello again\n")
    hub.act(below["id"], "pr/merge", method="squash")
    eventually(lambda: of_type(hub.events(above["id"]), "base_landed"))
    assert of_type(hub.events(above["id"]), "restack_ended") == []
    hub.act(above["id"], "commit", message="Greet again")
    settled(hub, above)
    assert own_commits(hub, above, "origin/main") == ["Greet again", "Add above"]


def test_what_conflicts_is_left_to_a_person(
    hub: ForgeHub, forge: GitHubServer, tmp_path: Path
) -> None:
    below, above = stacked(hub)
    (Path(above["worktree"]) / "README.md").write_text("# From above\n")
    hub.act(above["id"], "commit", message="Call it otherwise")
    theirs = tmp_path / "theirs"
    hub.git("clone", "-q", str(forge.state.bare.path), str(theirs), cwd=tmp_path)
    (theirs / "README.md").write_text("# From them\n")
    hub.git("commit", "-qam", "Call it so", cwd=theirs)
    hub.git("push", "-q", "origin", "HEAD:main", cwd=theirs)
    tip = hub.git("rev-parse", above["branch"], cwd=hub.repo)
    hub.act(below["id"], "pr/merge", method="squash")
    assert settled(hub, above)["base"] == "origin/main"
    [ended] = of_type(hub.events(above["id"]), "restack_ended")
    assert not ended["moved"]
    assert hub.git("rev-parse", above["branch"], cwd=hub.repo) == tip
    [item] = hub.show(above["id"])["attention"]
    assert (item["kind"], item["detail"]["paths"]) == ("landing", ["README.md"])
    assert f"update {above['slug']} --method rebase" in item["detail"]["suggestion"]
    (Path(above["worktree"]) / "README.md").write_text("# From them\n")
    hub.act(above["id"], "commit", message="As they call it", amend=True)
    hub.act(above["id"], "update", method="rebase")
    eventually(lambda: hub.show(above["id"])["attention"] == [])
    assert own_commits(hub, above, "origin/main") == ["Add above"]


def test_a_forge_that_does_not_answer_is_asked_again(hub: ForgeHub, forge: GitHubServer) -> None:
    below, above = stacked(hub)
    number = pull_of(forge, above).number
    forge.faults.append(Fault("PATCH", f"/pulls/{number}$", 502))
    hub.act(below["id"], "pr/merge", method="squash")
    settled(hub, above)
    assert pull_of(forge, above).base == "main"


def test_what_stands_on_more_than_landed_stays_where_it_is(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    below = hub.work("below")
    hub.act(below["id"], "merge", into="main", method="squash")
    (Path(below["worktree"]) / "more.txt").write_text("more\n")
    hub.act(below["id"], "commit", message="More")
    above = hub.work("above", base=below["branch"])
    hub.restart()
    hub.act(below["id"], "merge", into="main", method="squash")
    landed = settled(hub, above)
    merged = of_type(hub.events(below["id"]), "session_merged")
    assert (len(merged), landed["seq"] > merged[-1]["seq"]) == (2, True)
    assert own_commits(hub, above, "main") == ["Add above"]


def test_on_a_base_that_lacks_what_landed_nothing_is_put(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    below, above = stacked(hub)
    tip = hub.git("rev-parse", above["branch"], cwd=hub.repo)
    hub.act(below["id"], "merge", into="main", method="squash")
    eventually(lambda: of_type(hub.events(above["id"]), "base_landed"))
    hub.restart()  # it looks again, and the forge's main, to which it is proposed, is as it was
    (Path(above["worktree"]) / "more.txt").write_text("more\n")
    hub.act(above["id"], "commit", message="More")
    assert of_type(hub.events(above["id"]), "update_started") == []
    assert hub.git("rev-parse", f"{above['branch']}^", cwd=hub.repo) == tip
    hub.git("push", "-q", str(forge.state.bare.path), "main", cwd=hub.repo)
    hub.git("update-ref", "refs/remotes/origin/main", "main", cwd=hub.repo)
    hub.restart()
    settled(hub, above)
    assert own_commits(hub, above, "origin/main") == ["More", "Add above"]
