"""An agent that changes what is not its session's raises attention at once, with the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import Json, Refused, RunningHub, bash, hold, of_type, script, write
from tests.support.guarded_hub import hub, lasting_hub
from tests.support.told_agent import call, configured, piece, said, tell

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


@pytest.fixture
def telling(hub: RunningHub) -> RunningHub:
    """With an agent "told" that tells of its calls in whatever order."""
    config = hub.home.config.read_text()
    if "[agents.told]" not in config:
        hub.configure(config + configured("told"))
    return hub


def test_an_edit_whose_agent_never_says_that_it_runs(telling: RunningHub) -> None:
    path, go = telling.repo / "late.txt", telling.root / "go-on"
    begun = call("1", title="Edit", kind="edit", status="pending")
    known = piece("1", rawInput={"content": "x"})
    ended = piece("1", status="completed", locations=[{"path": str(path)}])
    text = tell(begun, known, {"until": str(go)}, {"write": str(path)}, ended)
    id = telling.new(text, agent="told")["id"]
    with telling.reader(after=0, session=id) as reader:
        reader.until(lambda e: e.get("type") == "tool_called")
    go.touch()
    item = stray(telling, id)
    assert item["detail"]["paths"] == ["late.txt"]
    assert item["detail"]["tool"] == "Write"
    settle(telling, id, item)
    events = telling.events(id)
    assert [len(of_type(events, f"tool_{what}")) for what in ("called", "finished")] == [1, 1]
    go.unlink()


def test_a_command_that_is_only_told_when_it_is_over(telling: RunningHub) -> None:
    path, go = telling.repo / "by-command.txt", telling.root / "run-it"
    begun = call("1", title="make it", kind="execute", status="pending")
    ended = piece("1", status="completed")
    text = tell(begun, said("It begins."), {"until": str(go)}, {"write": str(path)}, ended)
    id = telling.new(text, agent="told")["id"]
    # Judged by its time: nothing is written before its call is heard of, words behind it too.
    with telling.reader(after=0, session=id) as reader:
        reader.until(lambda e: "It begins." in e.get("text", "") and e["type"] != "user_message")
    go.touch()
    item = stray(telling, id)
    assert item["detail"]["paths"] == ["by-command.txt"]
    settle(telling, id, item)


def test_every_file_of_one_edit_is_looked_at_and_deletions_too(telling: RunningHub) -> None:
    mine, theirs = "mine.txt", telling.repo / "theirs.txt"
    places = [{"path": mine}, {"path": str(theirs)}]
    both = call("1", title="Edit two", kind="edit", locations=places, status="completed")
    gone = {"title": "rm", "kind": "delete", "locations": [{"path": str(telling.repo / "x")}]}
    id = telling.new(tell(both, call("2", **gone, status="completed")), agent="told")["id"]
    with telling.reader(after=0, session=id) as reader:
        strayed = [
            reader.until(lambda e: e.get("type") == "attention_raised")["item"] for _ in range(2)
        ]
    assert [item["detail"]["paths"] for item in strayed] == [["theirs.txt"], ["x"]]


def test_an_edit_that_failed_is_a_stray_one_only_if_it_changed_something(
    telling: RunningHub,
) -> None:
    wrote, left = telling.repo / "half.txt", telling.repo / "untouched.txt"
    left.write_text("as it was")
    one = {"title": "Edit", "kind": "edit", "status": "in_progress"}
    steps = (
        call("1", **one, locations=[{"path": str(left)}]),
        piece("1", status="failed"),
        call("2", **one, locations=[{"path": str(wrote)}]),
        {"write": str(wrote)},
        piece("2", status="failed"),
    )
    id = telling.new(tell(*steps), agent="told")["id"]
    item = stray(telling, id)
    assert item["detail"]["paths"] == ["half.txt"]
    settle(telling, id, item)


def test_an_answer_goes_to_the_oldest_item_that_has_its_option(hub: RunningHub) -> None:
    """The stray edit is older, and cannot be allowed."""
    first, second = (write(str(hub.repo / name)) for name in ("first.txt", "second.txt"))
    session = hub.new(script(first, hold("go.ignored"), second, {"text": "done"}))
    id = session["id"]
    allowed(hub, id)
    strayed = stray(hub, id)
    (Path(session["worktree"]) / "go.ignored").touch()
    with hub.reader(after=0, session=id) as reader:
        for _ in range(2):
            asked = reader.until(lambda e: e.get("type") == "permission_requested")["item"]
    with pytest.raises(Refused) as refused:
        hub.answer(id, "approve")
    assert refused.value.message.startswith("none of the 2 open items")
    options = "allow, allow-session, allow-repo, deny"
    assert refused.value.hint == (
        f"stray_edit {strayed['id']}: seen; permission {asked['id']}: {options}"
    )
    assert hub.answer(id, "allow")["id"] == asked["id"]
    hub.answer(id, "seen", item=strayed["id"])
