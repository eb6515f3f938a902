"""A base that moves at its remote: who is in conflict with it is told, and nobody else."""

from __future__ import annotations

from tests.support.driver import eventually
from tests.support.remote_hub import RemoteHub, hub, lasting_hub, lines

__all__ = ["hub", "lasting_hub"]


def test_a_push_by_somebody_else_is_told_to_those_in_conflict_with_it(hub: RemoteHub) -> None:
    here = hub.work("Here", {"one.txt": lines(30, {3: "mine"})}, base="main")
    there = hub.work("There", {"two.txt": lines(30, {3: "mine"})}, base="origin/main")
    hub.settle(poll=0.1)
    newest = hub.push({"one.txt": lines(30, {3: "theirs"})})
    hub.await_move(newest, here, there)
    eventually(lambda: any(hub.get("/api/conflicts")))
    fresh = hub.plain("Fresh", base="origin/main")
    hub.wait_idle(fresh["id"])
    assert fresh["base_commit"] == newest
    (found,) = hub.get("/api/conflicts", fresh=True, overlaps=True)
    assert (found["a"], found["b"], found["base"]) == (here["id"], "main", True)
    hunks = hub.get("/api/conflicts/hunks", a=here["id"], b="main")
    (hunk,) = hunks["paths"][0]["hunks"]
    assert ("mine" in hunk["a"]["lines"], "theirs" in hunk["b"]["lines"]) == (True, True)
