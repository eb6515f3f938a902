"""Where a session's work can go: how it stands to its base, and whether a forge is there."""

from __future__ import annotations

from pathlib import Path

from tests.support.driver import Json
from tests.support.forge.github_server import GitHubServer
from tests.support.forge.hub import ForgeHub


def ways(hub: ForgeHub, made: Json) -> Json:
    return hub.get(f"/api/sessions/{made['id']}/landing/ways")


def test_the_forge_is_told_where_the_remote_leads_to_one(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    made = hub.work("greets")
    assert ways(hub, made)["forge"] == "acme/widgets"
    hub.git("remote", "set-url", "origin", str(hub.root / "elsewhere"), cwd=hub.repo)
    hub.configure(hub.home.config.read_text().replace("[github]", "[github]\napi = ''"))
    assert ways(hub, made)["forge"] == ""
    hub.git("remote", "remove", "origin", cwd=hub.repo)
    assert ways(hub, made)["forge"] == ""


def test_what_differs_is_counted_and_a_merge_that_was_taken_back_is_none(hub: ForgeHub) -> None:
    made = hub.work("lands", base="main")
    before = ways(hub, made)
    assert (before["outgoing"], before["uncommitted"], before["merged"]) == (1, 0, None)
    (Path(made["worktree"]) / "more.txt").write_text("more\n")
    assert ways(hub, made)["uncommitted"] == 1
    hub.act(made["id"], "commit", message="More")
    first = hub.git("rev-parse", "main", cwd=hub.repo).strip()
    hub.act(made["id"], "merge", method="squash")
    after = ways(hub, made)
    assert after["merged"]["tip"] == after["head"]
    assert (after["merged"]["into"], after["merged"]["commit"]) == ("main", after["base"]["local"])
    hub.git("reset", "-q", "--hard", first, cwd=hub.repo)
    assert ways(hub, made)["merged"] is None
