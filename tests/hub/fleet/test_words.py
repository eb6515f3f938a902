"""What a person says reaches the agent as it was said, and the record without its secrets."""

from __future__ import annotations

from pathlib import Path

from tests.support.driver import RunningHub, bash, eventually, hold, of_type, script

TOKEN = "ghp" + "_Said0by1a2person3to4an5agent6x7y8z"


def kept(hub: RunningHub, session: str) -> list[Path]:
    return [f for f in (hub.home.sessions / session / "words").glob("*") if f.is_file()]


def test_a_follow_up_with_a_secret_waits_through_the_end_of_a_hub_and_is_told_whole(
    hub: RunningHub,
) -> None:
    made = hub.new(script(hold("go-on"), {"text": "done"}))
    id, worktree = made["id"], Path(made["worktree"])
    hub.say(id, script(bash(f"printf %s {TOKEN} > told.txt"), {"text": "told"}), follow_up=True)
    [waiting] = kept(hub, id)
    assert waiting.stat().st_mode & 0o777 == 0o600
    hub.kill()
    hub.start()
    assert TOKEN not in str(hub.get(f"/api/sessions/{id}/follow-ups"))
    (worktree / "go-on").touch()
    eventually(lambda: (worktree / "told.txt").exists() and (worktree / "told.txt").read_text())
    assert (worktree / "told.txt").read_text() == TOKEN
    eventually(lambda: len(of_type(hub.events(id), "turn_finished")) == 2)
    eventually(lambda: not kept(hub, id))
    assert TOKEN not in str(hub.events(id))
    hub.act(id, "archive")


def test_a_follow_up_that_was_edited_is_told_as_it_is_now(hub: RunningHub) -> None:
    made = hub.new(script(hold("go-on"), {"text": "done"}))
    id, worktree = made["id"], Path(made["worktree"])
    hub.say(id, script(bash(f"printf %s {TOKEN} > told.txt"), {"text": "told"}), follow_up=True)
    [waiting] = hub.get(f"/api/sessions/{id}/follow-ups")
    plain = script(bash("printf plain > told.txt"), {"text": "told"})
    hub.post(f"/api/sessions/{id}/follow-ups/{waiting['id']}", {"text": plain})
    (worktree / "go-on").touch()
    eventually(lambda: len(of_type(hub.events(id), "turn_finished")) == 2)
    assert (worktree / "told.txt").read_text() == "plain"
    hub.act(id, "archive")
    eventually(lambda: not kept(hub, id))
