"""The hub dies at every point of a creation and the next one brings it to the same end."""

from __future__ import annotations

import itertools
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.support.driver import of_type
from tests.support.workspace_hub import WorkspaceHub, lasting_hub
from tests.support.workspace_hub import shared_hub as hub

__all__ = ["hub", "lasting_hub"]

POINTS = [
    f"{when}:create.{step}"
    for step, when in itertools.product(
        ("worktree", "copy", "ports", "setup"), ("before", "done", "after")
    )
]
FILES = {".manyhands.toml": "[setup]\nrun = ['echo once >> setup.log']\n"}


@pytest.mark.parametrize("point", POINTS)
def test_a_creation_that_was_cut_off_anywhere_converges(hub: WorkspaceHub, point: str) -> None:
    (hub.repo / ".env").write_text("KEY=1\n")
    config = (hub.repo / ".git/config").read_bytes()
    hub.write(FILES)
    hub.trust()
    index = (hub.repo / ".git/index").read_bytes()
    hub.fate.write_text(point)
    with suppress(OSError, HTTPException):  # it may die before it has answered
        hub.open_session(detach=True)
    hub.await_death()
    hub.fate.unlink()
    hub.start()
    [session] = hub.here()
    [rested] = hub.wait_idle(session["id"])
    place = Path(rested["worktree"])
    assert (place / ".env").read_text() == "KEY=1\n"
    assert 4100 <= rested["ports"]["web"] <= 4999
    assert set((place / "setup.log").read_text().split()) == {"once"}
    events: Any = hub.events(session["id"])
    assert len(of_type(events, "session_ready")) == 1
    assert len(of_type(events, "ports_leased")) == 1
    hub.git("fsck", "--strict", cwd=hub.repo)
    assert (hub.repo / ".git/config").read_bytes() == config
    assert (hub.repo / ".git/index").read_bytes() == index
    listed = hub.git("worktree", "list", "--porcelain", cwd=hub.repo)
    assert listed.count("worktree ") == 2
