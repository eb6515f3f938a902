"""What the command line says of a base and its remote."""

from __future__ import annotations

from tests.support.console import Console
from tests.support.remote_hub import RemoteHub, hub, lasting_hub, lines

__all__ = ["hub", "lasting_hub"]


def test_merge_update_and_show_say_how_the_two_stand(hub: RemoteHub) -> None:
    console = Console(hub.home.root, hub.repo)
    console.variables = hub.environment
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    b = hub.work("Beta", {"two.txt": lines(30, {3: "Beta"})})
    assert "base: main is where origin/main is" in console.ok("show", a["slug"]).text
    hub.push({"theirs.txt": "1\n"})
    newest = hub.push({"theirs.txt": "2\n"})
    refused = console.run("merge", a["slug"])
    assert refused.code != 0
    assert "main is 2 commits behind origin/main" in refused.err
    assert "--forward" in refused.err
    dry = console.ok("merge", a["slug"], "--forward", "--dry-run").err
    assert f"main would go to {newest[:12]} first; 1 commit would go into main by merge" in dry
    done = console.ok("merge", a["slug"], "--forward").err
    assert f"main was brought forward to {newest[:12]} first" in done
    assert "main is 2 commits ahead of origin/main" in done
    assert "2 commits ahead of origin/main" in console.ok("show", b["slug"]).text
    updated = console.ok("update", b["slug"]).err
    assert "main is in, at " in updated
    assert "main is 2 commits ahead of origin/main" in updated
    hub.git("push", "-q", "origin", "main", cwd=hub.repo)
    hub.bare.rename(hub.bare.with_name("gone.git"))
    again = console.ok("update", b["slug"]).err
    assert "it has all of main already" in again or "it has all of origin/main already" in again
    assert "origin/main could not be asked: " in again
    bad = console.run("merge", a["slug"], "--pr", "--forward")
    assert "--forward" in bad.err
