"""The train where the branch belongs to a remote: a swap there, and what is here follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hub.train.cars import at, board, cars, commit, session, train, until_ended, with_checks
from tests.support.driver import Refused, RunningHub, eventually


@pytest.fixture
def remote(hub: RunningHub, tmp_path: Path) -> Path:
    """Bare, with all that the repository has; the repository is trusted as it is then."""
    with_checks(hub, "test ! -e bad.txt")
    place = tmp_path / "remote.git"
    hub.git("clone", "-q", "--bare", str(hub.repo), str(place), cwd=tmp_path)
    hub.git("remote", "add", "origin", str(place), cwd=hub.repo)
    hub.git("fetch", "-q", "origin", cwd=hub.repo)
    hub.git("branch", "-q", "--set-upstream-to=origin/main", "main", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    return place


def colleague(hub: RunningHub, remote: Path, name: str) -> None:
    """Somebody else's commit on the remote's main."""
    place = remote.with_name(f"colleague-{name}")
    hub.git("clone", "-q", str(remote), str(place), cwd=remote.parent)
    (place / f"{name}.txt").write_text("a colleague's\n")
    commit(hub, place, f"Colleague: {name}")
    hub.git("push", "-q", "origin", "main", cwd=place)


def there(hub: RunningHub, remote: Path, ref: str) -> str:
    return hub.git("rev-parse", ref, cwd=remote).strip()


def test_the_remotes_branch_is_moved_by_a_swap_and_the_one_here_follows(
    hub: RunningHub, remote: Path
) -> None:
    a, bad, c = (session(hub, name, {f"{name}.txt": name}) for name in ("a", "bad", "c"))
    board(hub, a, bad, c, via="push")
    ended = until_ended(hub, a, bad, c)
    assert [car["state"] for car in ended] == ["landed", "failed", "landed"]
    assert there(hub, remote, "main") == ended[2]["commit"]
    assert at(hub, "origin/main") == at(hub, "main") == ended[2]["commit"]
    assert (hub.repo / "c.txt").exists()
    assert not (hub.repo / "bad.txt").exists()


def test_a_colleague_who_was_quicker_is_never_overwritten(hub: RunningHub, remote: Path) -> None:
    a = session(hub, "a", {"a.txt": "1"})
    board(hub, a, via="push")
    hub.post("/api/train/pause", {"repo": str(hub.repo)})
    colleague(hub, remote, "quick")
    hub.post("/api/train/resume", {"repo": str(hub.repo)})
    landed = until_ended(hub, a)[0]
    assert landed["state"] == "landed"
    assert there(hub, remote, "main") == landed["commit"]
    files = hub.git("ls-tree", "--name-only", "main", cwd=remote).split()
    assert {"a.txt", "quick.txt"} <= set(files)


def test_a_remote_that_refuses_halts_the_train_with_a_way_out_that_works(
    hub: RunningHub, remote: Path
) -> None:
    hook = remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'main is a protected branch' >&2\nexit 1\n")
    hook.chmod(0o755)
    before = there(hub, remote, "main")
    a = session(hub, "a", {"a.txt": "1"})
    board(hub, a, via="push")
    eventually(lambda: train(hub)["paused"])
    lane = train(hub)
    assert "protected" in lane["reason"]
    assert "manyhands train resume" in lane["hint"]
    assert there(hub, remote, "main") == before
    hook.unlink()
    hub.post("/api/train/resume", {"repo": str(hub.repo)})
    assert until_ended(hub, a)[0]["state"] == "landed"


def test_a_branch_that_is_behind_its_remote_is_not_landed_on(hub: RunningHub, remote: Path) -> None:
    colleague(hub, remote, "early")
    a = session(hub, "a", {"a.txt": "1"})
    with pytest.raises(Refused, match="1 commit behind origin/main") as caught:
        board(hub, a)
    way = caught.value.hint.split("`")[1]
    hub.git(*way.split()[1:], cwd=hub.repo)
    board(hub, a)
    assert until_ended(hub, a)[0]["state"] == "landed"
    assert cars(hub)[a["id"]]["into"] == "main"
    assert at(hub, "main~1") == there(hub, remote, "main")
