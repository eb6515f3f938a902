"""A terminal in a box: the agent's own, with its git."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.driver import ACTOR, RunningHub
from tests.support.viewer import Viewer


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    with RunningHub(tmp_path / "hub", box="full", agent=ACTOR) as running:
        running.make_repo()
        yield running


def test_what_is_committed_in_a_terminal_is_on_the_branch_and_nothing_leaves_the_box(
    hub: RunningHub,
) -> None:
    session = hub.new("Nothing yet", start=False)
    outside = hub.root / "outside"
    asked = {"command": ["/bin/bash"], "rows": 24, "columns": 80}
    hub.post(f"/api/sessions/{session['id']}/terminals", asked)
    with Viewer(hub, session["id"], "bash") as viewer:
        viewer.type("echo made > file; git add file; git commit -qm Typed; echo did-$((1+1))\r")
        viewer.until("did-2")
        viewer.type(f"echo x > {outside}; sleep 600 & echo tried-$((1+1))\r")
        viewer.until("tried-2")
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until_type("box_entered")
    hub.post(f"/api/sessions/{session['id']}/terminals/bash/close")
    assert not outside.exists()
    assert [p for p in hub.processes() if p.name() in ("bash", "sleep")] == []
    hub.act(session["id"], "archive")
    subjects = hub.git("log", "--format=%s", f"main..{session['branch']}", cwd=hub.repo)
    assert subjects == "Typed\n"
