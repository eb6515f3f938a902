"""What a merge on the forge means for the sessions here: their base has moved."""

from __future__ import annotations

import pytest

from tests.support.driver import eventually, of_type
from tests.support.forge.github_server import GitHubServer
from tests.support.forge.hub import CONFIG, ForgeHub


@pytest.mark.parametrize("base", ["main", "origin/main"])
def test_a_merged_pull_request_moves_the_base_of_the_others(
    hub: ForgeHub, forge: GitHubServer, base: str
) -> None:
    hub.configure(CONFIG.replace("fetch_seconds = 0", "fetch_seconds = 60"))
    other = hub.new("", name="other", start=False, base=base)
    session = hub.work()
    hub.act(session["id"], "pr")
    merged = hub.act(session["id"], "pr/merge", method="squash")
    told = eventually(lambda: of_type(hub.events(other["id"]), "base_moved"))
    assert [(move["base"], move["commit"]) for move in told] == [("origin/main", merged["commit"])]
    done = hub.act(other["id"], "update")
    assert (done["commit"], done["conflicts"]) == (merged["commit"], [])


def test_what_is_only_here_does_not_come_into_a_pull_request(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    hub.configure(CONFIG.replace("fetch_seconds = 0", "fetch_seconds = 60"))
    session = hub.work(base="origin/main")
    hub.act(session["id"], "pr")
    (hub.repo / "mine.txt").write_text("not pushed\n")
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-q", "-m", "Mine", cwd=hub.repo)
    done = hub.act(session["id"], "update")
    assert (done["already"], done["base"]) == (True, "origin/main")
    assert "main is 1 commit ahead of origin/main" in done["standing"]["words"]
