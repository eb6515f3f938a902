"""Ways around a person's trust that were tried: each ends with a question, and nothing has run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from manyhands.workspace.runnable import pieces
from tests.support.driver import Refused
from tests.support.workspace_hub import WorkspaceHub, lasting_hub, shared_hub

__all__ = ["lasting_hub", "shared_hub"]


def asked(hub: WorkspaceHub, name: str = "place") -> dict[str, Any]:
    """What a new session is held by, before its worktree is made."""
    session: Any = hub.open_session(name)
    item: dict[str, Any] = hub.wait_attention(session["id"])
    assert item["kind"] == "trust"
    assert not Path(session["worktree"]).exists()
    return item


def test_a_hook_behind_six_hundred_other_files_is_asked_about(shared_hub: WorkspaceHub) -> None:
    hub = shared_hub
    padding = {f".claude/commands/{n:04}.md": "words\n" for n in range(600)}
    hub.write({**padding, ".claude/settings.json": "{}"})
    hub.trust()
    hook = {"type": "command", "command": "python3 tools/x.py"}
    settings = {"hooks": {"Stop": [{"hooks": [hook]}]}}
    hub.write({".claude/settings.json": json.dumps(settings), "tools/x.py": "pass\n"})
    item = asked(hub)
    assert set(item["detail"]["files"]) == {".claude/settings.json", "tools/x.py"}
    hub.trust()
    hub.write({"tools/x.py": "import evil\n"})
    item = asked(hub, "again")
    assert set(item["detail"]["files"]) == {"tools/x.py"}
    assert "-pass\n+import evil" in item["detail"]["difference"]
    assert "# tools/x.py: named by what runs" in item["detail"]["difference"]


def test_more_than_can_be_looked_at_fails_and_says_the_way_out(shared_hub: WorkspaceHub) -> None:
    hub = shared_hub
    hub.write({f".claude/skills/{n}.md": "" for n in range(pieces.MOST + 1)})
    with pytest.raises(Refused, match="files that could run") as refused:
        hub.trust()
    assert (refused.value.status, refused.value.code) == (403, "not_trusted")
    session: Any = hub.open_session()
    failed = hub.show(session["id"])
    assert failed["status"] == "failed", failed
    assert "files that could run" in failed["error"]
    assert ".claude/skills" in failed["hint"]
    hub.git("rm", "-rq", ".claude/skills", cwd=hub.repo)
    hub.git("commit", "-qm", "Fewer", cwd=hub.repo)
    hub.trust()
    hub.wait_idle(str(hub.open_session("after")["id"]))


def test_a_change_at_the_end_of_two_megabytes_is_asked_about(shared_hub: WorkspaceHub) -> None:
    hub = shared_hub
    hook = "#!/bin/sh\n" + "# padding\n" * 200_000
    hub.write({".husky/pre-commit": hook})
    hub.trust()
    hub.write({".husky/pre-commit": hook[:-10] + "# evil   \n"})
    item = asked(hub)
    assert set(item["detail"]["files"]) == {".husky/pre-commit"}
    assert "bytes are not shown; look at them: git -C " in item["detail"]["difference"]


def test_git_settings_that_name_a_program_are_asked_about(shared_hub: WorkspaceHub) -> None:
    hub = shared_hub
    hub.git("config", "core.fsmonitor", "touch evil; false", cwd=hub.repo)
    item = asked(hub)
    assert list(item["detail"]["files"]) == [".git/config core.fsmonitor"]
    hub.answer(item["session"], "trust")
    hub.wait_idle(item["session"])
    hub.wait_idle(str(hub.open_session("second")["id"]))


def test_a_linked_folder_is_asked_about_and_not_read(
    shared_hub: WorkspaceHub, tmp_path: Path
) -> None:
    hub = shared_hub
    (tmp_path / "settings.json").write_text('{"private": 1}')
    (hub.repo / ".claude").symlink_to(tmp_path)
    hub.write({})
    item = asked(hub)
    assert list(item["detail"]["files"]) == [".claude"]
    assert str(tmp_path) in item["detail"]["difference"]
    assert "private" not in json.dumps(item)


def test_an_install_script_of_a_nested_package_is_asked_about(shared_hub: WorkspaceHub) -> None:
    hub = shared_hub
    hub.write({"packages/x/package.json": '{"scripts": {"postinstall": "evil"}}'})
    assert list(asked(hub)["detail"]["files"]) == ["packages/x/package.json scripts"]


def test_a_difference_too_long_to_show_is_whole_in_a_file(shared_hub: WorkspaceHub) -> None:
    hub = shared_hub
    hub.write({f".husky/{n}": f"# {n}\n" * 10_000 for n in range(8)})
    told: str = asked(hub)["detail"]["difference"]
    note = told.splitlines()[-1]
    assert "characters are not shown; look at: " in note
    whole = Path(note.partition("look at: ")[2]).read_text()
    assert whole.startswith(told.removesuffix(f"\n{note}"))
    assert len(whole) == len(told) - len(note) - 1 + int(note.split()[1].replace(",", ""))
