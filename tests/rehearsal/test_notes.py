"""What Claude Code notes of its starts is there, so that no start in a box tries to write it."""

from __future__ import annotations

from pathlib import Path

from manyhands.rehearsal import provider
from tests.support.driver import RunningHub, script


def test_a_session_in_a_box_leaves_the_notes_alone(tmp_path: Path) -> None:
    given = Path(provider.__file__).with_name("first_notes.json").read_bytes()
    with RunningHub(tmp_path / "hub") as hub:
        hub.start_model()
        hub.make_repo()
        made = hub.new(script({"text": "Done."}))
        hub.wait_idle(made["id"])
        config = Path(provider.directories(hub.home)["CLAUDE_CONFIG_DIR"])
        # It copies what it is about to overwrite.
        saved = list((config / "backups").glob("*"))
        noted = (config / ".claude.json").read_bytes()
    assert not saved
    assert noted == given
