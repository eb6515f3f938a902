"""The train where branches land by pull requests: what the forge wants is heeded."""

from __future__ import annotations

import pytest

from tests.hub.train.cars import board, cars, commit, session, until_ended
from tests.support.driver import Json, eventually
from tests.support.forge.github_server import GitHubServer
from tests.support.forge.hub import CONFIG, ForgeHub, description, forge, hub, place

__all__ = ["description", "forge", "hub", "place"]


@pytest.fixture(autouse=True)
def tested(hub: ForgeHub, forge: GitHubServer) -> None:
    """The repository has a check, here and on the forge."""
    hub.configure(CONFIG.replace("poll_seconds = 0", "poll_seconds = 0.1"))
    (hub.repo / ".manyhands.toml").write_text('[checks]\nrun = ["test ! -e bad.txt"]\n')
    commit(hub, hub.repo, "Checks")
    hub.git("push", "-q", str(forge.state.bare.path), "main", cwd=hub.repo)
    hub.git("update-ref", "refs/remotes/origin/main", "main", cwd=hub.repo)
    hub.trust()


def cars_of(hub: ForgeHub, *names: str) -> list[Json]:
    return [session(hub, name, {f"{name}.txt": name}) for name in names]


def test_cars_land_by_pull_requests_one_after_the_other(hub: ForgeHub, forge: GitHubServer) -> None:
    a, bad, c = cars_of(hub, "pr-a", "bad", "pr-c")
    board(hub, a, bad, c, via="pr")
    ended = until_ended(hub, a, bad, c)
    assert [car["state"] for car in ended] == ["landed", "failed", "landed"]
    assert [car["note"] for car in ended] == ["", "", ""], "each as it was tested"
    merged = [pull for pull in forge.state.pulls.values() if pull.merged]
    assert [pull.head for pull in merged] == [a["branch"], c["branch"]]
    assert forge.state.bare.tip("main") == ended[2]["commit"]


@pytest.mark.parametrize(("end", "state"), [("success", "landed"), ("failure", "failed")])
def test_the_forges_own_checks_are_waited_for(
    hub: ForgeHub, forge: GitHubServer, end: str, state: str
) -> None:
    [a] = cars_of(hub, f"watched-{end}")
    tip = hub.git("rev-parse", a["branch"], cwd=hub.repo).strip()
    forge.state.add_check(tip, "build", None, id=7)
    board(hub, a, via="pr")
    eventually(lambda: "waits for the checks" in cars(hub)[a["id"]]["error"])
    [pull] = forge.state.pulls.values()
    assert not pull.merged
    forge.state.add_check(tip, "build", end, id=7)
    ended = until_ended(hub, a)[0]
    assert ended["state"] == state
    assert bool(pull.merged) == (state == "landed")


def test_a_forge_with_a_queue_of_its_own_is_left_to_it(hub: ForgeHub, forge: GitHubServer) -> None:
    [a] = cars_of(hub, "queued")
    forge.state.queues.add("main")
    board(hub, a, via="pr")
    eventually(lambda: "own queue" in cars(hub)[a["id"]]["error"])
    [pull] = forge.state.pulls.values()
    assert (pull.queued, bool(pull.merged)) == ("queue", False)
    pull.merged = forge.state.bare.merge("main", pull.sha, "merge", pull.title)
    pull.state, pull.moved = "closed", pull.moved + 1
    assert until_ended(hub, a)[0]["state"] == "landed"
