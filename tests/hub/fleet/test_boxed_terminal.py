"""A program in a terminal, in a box: it comes to rest as any other, and ends with its session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.driver import RunningHub, of_type
from tests.support.terminal_hub import BASH, add_config


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    running = RunningHub(tmp_path / "hub", linger=1.0, box="full")
    add_config(running, BASH)
    with running:
        running.make_repo()
        yield running


def test_a_shell_works_and_rests_in_its_box(hub: RunningHub) -> None:
    outside = hub.root / "outside"
    said = (
        f"echo made > file; git add file; git commit -qm Typed; echo x > {outside}; echo $((6*7))"
    )
    session = hub.new(said, agent="bash")
    [done] = hub.wait_idle(session["id"])
    assert done["box"] == "full"
    texts = [event["text"] for event in of_type(hub.events(session["id"]), "agent_message")]
    assert any("42" in text for text in texts)
    assert not outside.exists()
    subjects = hub.git("log", "--format=%s", "main..", cwd=Path(done["worktree"]))
    assert subjects == "Typed\n"
    hub.act(session["id"], "archive")
    assert [p for p in hub.processes() if p.name() == "bash"] == []
