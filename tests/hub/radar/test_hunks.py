"""Conflicts side by side, and the order to land in, over HTTP and at the command line."""

from __future__ import annotations

from pathlib import Path

from tests.hub.radar.test_radar import edit, seen, session
from tests.support.console import Console
from tests.support.driver import RunningHub


def test_hunks_and_order_are_had_by_programs_and_people(hub: RunningHub) -> None:
    a, b, c = (session(hub, name) for name in ("Alpha", "Beta", "Gamma"))
    (Path(a["worktree"]) / ".env").write_text("PASSWORD=hunter2hunter2\n")
    edit(a, "one.txt", [3], "PASSWORD=hunter2hunter2")
    edit(b, "one.txt", [3], "yours")
    edit(c, "two.txt", [9], "theirs")
    edit(a, "two.txt", [9], "mine")
    assert len(seen(hub)) == 2
    for one, other in ((a, b), (b, a)):
        found = hub.get("/api/conflicts/hunks", a=one["slug"], b=other["id"])
        assert (found["a"], found["b"], found["base"]) == (one["id"], other["id"], False)
        (path,) = found["paths"]
        (hunk,) = path["hunks"]
        lines = {hunk[s]["lines"][hunk[s]["changed"][0]] for s in ("base", "a", "b")}
        assert "line 3" in lines
        assert "yours 3" in lines
        assert not any("hunter2" in line for line in lines)
        assert ("yours 3" in hunk["a"]["lines"]) == (one is b)
    console = Console(hub.home.root, hub.repo)
    console.variables = hub.environment
    order = console.json("conflicts", "--order")
    assert [turn["session"] for turn in order] == [b["id"], c["id"], a["id"]]
    assert order[-1] == {"session": a["id"], "after": [b["id"], c["id"]], "stuck": False}
    assert "beta, gamma" in console.ok("conflicts", "--order").text
    listed = console.json("conflicts", "gamma")
    assert [(pair["a"], pair["b"]) for pair in listed] == [(a["id"], c["id"])]
    assert {"a", "b", "paths"} <= listed[0].keys()
    assert console.json("conflicts", "beta", "gamma") == []
    text = console.ok("conflicts", "alpha", "gamma", "--hunks").text
    assert "alpha and gamma: two.txt (content)" in text
    assert "alpha      9 | mine 9" in text
    assert "gamma      9 | theirs 9" in text
    (hub.repo / "two.txt").write_text("all gone\n")
    hub.git("commit", "-qam", "Moved", cwd=hub.repo)
    assert "all gone" in console.ok("conflicts", "gamma", "main", "--hunks").text
    asked = "/api/conflicts/hunks?a=beta&b=gamma&path=two.txt"
    assert hub.request("GET", asked, headers=hub.bearer).status == 404
