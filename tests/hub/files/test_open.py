"""Opening a worktree in the editor of the person at this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import Refused, RunningHub, eventually, script


@pytest.fixture
def editor(tmp_path: Path) -> Path:
    """A program called like an editor with a window; it writes down what it was given."""
    told = tmp_path / "told"
    program = tmp_path / "bin" / "codium"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}.new && mv {told}.new {told}\n')
    program.chmod(0o755)
    return program


def start(root: Path, **variables: str) -> RunningHub:
    class WithEditor(RunningHub):
        @property
        def environment(self) -> dict[str, str]:
            return {**super().environment, **variables}

    hub = WithEditor(root)
    hub.start()
    return hub


def test_the_worktree_or_a_file_in_it_opens_and_nothing_outside(
    tmp_path: Path, editor: Path
) -> None:
    hub = start(tmp_path / "home", VISUAL=f"{editor} --wait")
    try:
        hub.make_repo()
        made = hub.new(script({"text": "x"}), start=False)
        told = tmp_path / "told"
        hub.act(made["id"], "open", path="README.md")
        eventually(told.exists)
        worktree = made["worktree"]
        assert told.read_text().splitlines() == ["--wait", worktree, f"{worktree}/README.md"]
        assert hub.act(made["id"], "open")["argv"] == [str(editor), "--wait", worktree]
        for path in ("../../token", "/etc/passwd", "a\0b"):
            with pytest.raises(Refused) as refused:
                hub.act(made["id"], "open", path=path)
            assert refused.value.code == "bad_input"
        with pytest.raises(Refused) as refused:
            hub.act(made["id"], "open", path="no-such-file")
        assert refused.value.code == "not_found"
    finally:
        hub.close()


def test_an_editor_of_the_terminal_is_refused_with_the_way_to_open_it(tmp_path: Path) -> None:
    hub = start(tmp_path / "home", VISUAL="cat")
    try:
        hub.make_repo()
        made = hub.new(script({"text": "x"}), start=False)
        with pytest.raises(Refused) as refused:
            hub.act(made["id"], "open")
        assert refused.value.code == "not_possible"
        assert f"manyhands open {made['id']}" in refused.value.hint
    finally:
        hub.close()
