"""An agent that changes what is not its session's raises attention at once, with the way back."""

from __future__ import annotations

from pathlib import Path

from tests.support.driver import Json, RunningHub, bash, script, write
from tests.support.guarded_hub import hub, lasting_hub

__all__ = ["hub", "lasting_hub"]


def allowed(hub: RunningHub, id: str) -> None:
    """Give the permission that leaving the worktree asks for."""
    item = hub.wait_attention(id)
    assert item["kind"] == "permission"
    hub.answer(id, "allow", item=item["id"])


def stray(hub: RunningHub, id: str) -> Json:
    with hub.reader(after=0, session=id) as reader:
        raised = reader.until(
            lambda e: e.get("type") == "attention_raised" and e["item"]["kind"] == "stray_edit"
        )
    return raised["item"]


def settle(hub: RunningHub, id: str, item: Json) -> None:
    hub.answer(id, "seen", item=item["id"])
    hub.wait_idle(id)
    assert hub.show(id)["attention"] == []


def test_a_file_written_into_the_main_checkout_by_its_absolute_path(hub: RunningHub) -> None:
    path = hub.repo / "notes.txt"
    id = hub.new(script(write(str(path)), {"text": "done"}))["id"]
    allowed(hub, id)
    item = stray(hub, id)
    assert item["detail"]["paths"] == ["notes.txt"]
    assert item["detail"]["place"] == str(hub.repo)
    assert "the main checkout" in item["summary"]
    assert any(str(hub.repo) in line for line in item["detail"]["way_back"])
    settle(hub, id, item)


def test_a_script_that_changes_the_main_checkout_without_naming_it(hub: RunningHub) -> None:
    session = hub.new("x", start=False)
    id, worktree = session["id"], Path(session["worktree"])
    target = hub.repo / "made_by_script.txt"
    (worktree / "run.sh").write_text(f"echo stray > {target}\n")
    hub.say(id, script(bash("sh run.sh"), {"text": "done"}))
    item = stray(hub, id)
    assert item["detail"]["paths"] == ["made_by_script.txt"]
    assert item["detail"]["tool"] == "Bash"
    settle(hub, id, item)


def test_a_write_into_another_sessions_worktree_names_that_session(hub: RunningHub) -> None:
    other = hub.new("x", name="Other", start=False)
    id = hub.new(script(write(f"{other['worktree']}/theirs.txt"), {"text": "done"}))["id"]
    allowed(hub, id)
    item = stray(hub, id)
    assert item["detail"]["session"] == other["id"]
    assert item["detail"]["paths"] == ["theirs.txt"]
    settle(hub, id, item)


def test_work_in_ones_own_worktree_is_no_stray_edit(hub: RunningHub) -> None:
    id = hub.new(script(write("mine.txt"), bash("echo more >> mine.txt"), {"text": "done"}))["id"]
    hub.wait_idle(id)
    hub.say(id, script({"text": "still nothing"}))
    hub.wait_idle(id)
    assert "attention_raised" not in hub.types(id)
