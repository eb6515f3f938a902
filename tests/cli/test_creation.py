"""Where a session starts, and adopting, from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from manyhands.cli.repo import spares_text
from manyhands.contract.repos import RepoView
from manyhands.model.ids import Oid
from manyhands.model.state import Spare
from tests.hub.creation.test_adopt import CONVERSATION, remember
from tests.support.driver import SECONDS
from tests.support.pool_hub import PoolHub, hub, lasting_hub, make_hub, pool_hub

__all__ = ["hub", "lasting_hub", "make_hub", "pool_hub"]


def mh(hub: PoolHub, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *words],
        cwd=hub.repo,
        env=hub.environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done.stdout + done.stderr


def mh_json(hub: PoolHub, *words: str) -> Any:
    return json.loads(mh(hub, *words, "--json"))


def test_in_place_and_on_a_branch(hub: PoolHub) -> None:
    here = mh_json(hub, "new", "Look around", "--in-place", "--no-start")
    assert (here["in_place"], here["worktree"]) == (True, str(hub.repo))
    assert "in place: the main checkout" in mh(hub, "show", here["slug"])
    mh(hub, "new", "Again", "--in-place", "--no-start", code=1)
    mh(hub, "new", "Both", "--in-place", "--branch", "x", "--no-start", code=2)
    there = mh_json(hub, "new", "Elsewhere", "--branch", "exactly/this", "--no-start")
    assert hub.branch(there) == "exactly/this"


def test_a_worktree_is_adopted_and_its_conversations_offered(hub: PoolHub, tmp_path: Path) -> None:
    place = tmp_path / "by hand"
    hub.git("worktree", "add", "-q", "-b", "topic", str(place), cwd=hub.repo)
    said = {"type": "user", "message": {"role": "user", "content": "Write a parser"}}
    remember(hub, place, said)
    shown = mh(hub, "adopt", str(place))
    assert CONVERSATION in shown
    assert "Write a parser" in shown
    taken = mh_json(hub, "adopt", str(place), "--resume", CONVERSATION)
    assert (taken["agent_session"], taken["branch"]) == (CONVERSATION, "topic")
    assert [c["id"] for c in taken["past"]] == [CONVERSATION]
    mh(hub, "adopt", str(place), "--resume", "ffffffff-0000", code=5)
    mh(hub, "adopt", str(hub.repo), code=2)


def test_the_pool_is_shown_with_its_disk_use(pool_hub: PoolHub) -> None:
    assert "1 ready, 0 MB" in mh(pool_hub, "repo", "list")


def test_a_spare_without_dependencies_says_why() -> None:
    note = "without dependencies: nobody has approved package-lock.json"
    whole = Spare(id="s", worktree="/w", commit=Oid("c"), token=1, ready=True, bytes=5_000_000)
    bare = replace(whole, unapproved=("d",), note=note)
    view = RepoView(path="/r", trusted=True, default_base="main", spares=(bare,))
    assert spares_text(view) == f"1 ready, 5 MB, {note}"
    assert spares_text(replace(view, spares=(whole,))) == "1 ready, 5 MB"
