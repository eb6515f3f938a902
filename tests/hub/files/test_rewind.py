"""Checkpoints: listing them, what a turn changed, going back to one, and going on from one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.driver import (
    ACTOR,
    REHEARSAL,
    Json,
    Refused,
    RunningHub,
    bash,
    hold,
    of_type,
    script,
    write,
)
from tests.support.guarded import after_turn, contents
from tests.support.guarded_hub import hub, lasting_hub

__all__ = ["hub", "lasting_hub"]


def checkpoints(hub: RunningHub, session: str) -> list[Json]:
    found: list[Json] = hub.get(f"/api/sessions/{session}/checkpoints")
    return found


def worked(hub: RunningHub, agent: str = ACTOR) -> tuple[str, Path]:
    """A session with three turns: a file each, the second also commits and deletes."""
    steps = (write("one.txt", "1\n"), {"text": "the first word is PELICAN"})
    session = hub.new(script(*steps), agent=agent)
    id, worktree = session["id"], Path(session["worktree"])
    hub.wait_idle(id)
    after_turn(hub, id, 1)
    commit = "git -c user.name=A -c user.email=a@example.invalid commit -qm Two"
    second = bash(f"echo 2 > two.txt && git add two.txt && {commit} && rm one.txt")
    hub.say(id, script(second, {"text": "the second word is OSPREY"}))
    hub.wait_idle(id)
    after_turn(hub, id, 2)
    hub.say(id, script(bash("mkdir -p deep && echo 3 > deep/three.txt"), {"text": "third"}))
    hub.wait_idle(id)
    after_turn(hub, id, 3)
    return id, worktree


def test_every_turn_has_a_checkpoint_and_its_own_diff(hub: RunningHub) -> None:
    id, worktree = worked(hub)
    found = [c for c in checkpoints(hub, id) if c["turn"]]
    assert [(c["id"], c["turn"]) for c in found] == [("1", 1), ("2", 2), ("3", 3)]
    assert all(set(c) == {"id", "turn", "at", "commit"} for c in found)
    assert all(hub.git("cat-file", "-t", c["commit"], cwd=worktree) == "commit\n" for c in found)

    def changed(turn: int) -> dict[str, str]:
        diff = hub.get(f"/api/sessions/{id}/diff", turn=turn)
        assert diff["patch"]
        return {file["path"]: file["status"] for file in diff["files"]}

    assert changed(1) == {"one.txt": "added"}
    assert changed(2) == {"two.txt": "added", "one.txt": "deleted"}
    assert changed(3) == {"deep/three.txt": "added"}
    with pytest.raises(Refused) as caught:
        changed(9)
    assert caught.value.status == 404
    assert "1, 2, 3" in caught.value.hint


def test_a_rewind_brings_back_files_deletions_branch_and_dialogue(hub: RunningHub) -> None:
    id, worktree = worked(hub, REHEARSAL)
    (worktree / "by_hand.txt").write_text("the user's\n")
    head = hub.git("rev-parse", "HEAD", cwd=worktree)
    rewound = hub.act(id, "rewind", checkpoint="1")
    assert rewound["status"] == "idle"
    assert {"one.txt"} == set(contents(worktree)) - {"README.md", ".gitignore"}
    assert hub.git("rev-parse", "HEAD", cwd=worktree) != head
    assert hub.git("status", "--porcelain", cwd=worktree) == "?? one.txt\n"

    before = checkpoints(hub, id)[-1]
    assert before["id"] == "3.1"
    hub.git("merge-base", "--is-ancestor", head.strip(), before["commit"], cwd=worktree)

    hub.say(id, script({"text": "go on"}, words="What was said?"))
    hub.wait_idle(id)
    events = hub.events(id)
    assert [e["forked"] for e in of_type(events, "session_rewound")] == [True]
    first, last = (of_type(events, "agent_started")[n]["agent_session"] for n in (0, -1))
    assert first != last
    said = transcript(hub, last)
    assert "PELICAN" in said
    assert "OSPREY" not in said

    hub.act(id, "rewind", checkpoint="3.1")
    assert {"two.txt", "deep/three.txt", "by_hand.txt"} <= set(contents(worktree))
    assert not (worktree / "one.txt").exists()
    assert hub.git("rev-parse", "HEAD", cwd=worktree) == head
    hub.say(id, script({"text": "forward again"}))
    hub.wait_idle(id)
    newest = of_type(hub.events(id), "agent_started")[-1]["agent_session"]
    assert "OSPREY" in transcript(hub, newest)


def transcript(hub: RunningHub, dialogue: str) -> str:
    place = hub.home.root / "rehearsal" / "home" / ".claude" / "projects"
    return next(place.glob(f"*/{dialogue}.jsonl")).read_text()


def test_the_diff_of_a_turn_after_a_rewind_is_against_what_was_brought_back(
    hub: RunningHub,
) -> None:
    id, _ = worked(hub)
    hub.act(id, "rewind", checkpoint="1")
    hub.say(id, script(write("four.txt", "4\n"), {"text": "fourth"}))
    hub.wait_idle(id)
    after_turn(hub, id, 4)
    diff = hub.get(f"/api/sessions/{id}/diff", turn=4)
    assert [file["path"] for file in diff["files"]] == ["four.txt"]


def test_a_session_at_work_is_not_rewound_and_an_unknown_checkpoint_is_named(
    hub: RunningHub,
) -> None:
    session = hub.new(script(write("one.txt"), hold("go"), {"text": "done"}))
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until(lambda e: e.get("type") == "tool_called" and e["tool"] == "Bash")
    with pytest.raises(Refused, match="at work"):
        hub.act(session["id"], "rewind", checkpoint="1")
    (Path(session["worktree"]) / "go").touch()
    hub.wait_idle(session["id"])
    after_turn(hub, session["id"], 1)
    with pytest.raises(Refused, match="no checkpoint '7'") as caught:
        hub.act(session["id"], "rewind", checkpoint="7")
    assert caught.value.status == 404


@pytest.mark.parametrize(
    "ravage", ["git reset -q --hard", "git clean -fdxq", "git checkout -q .", "rm -rf ./* .git"]
)
def test_whatever_an_agent_destroys_the_last_checkpoint_brings_back(
    hub: RunningHub, ravage: str
) -> None:
    made = (
        "mkdir made && echo by the shell > made/file && chmod 600 made/file && echo X > README.md"
    )
    session = hub.new(script(write("a.txt", "mixed\r\nends\n"), bash(made), {"text": "made"}))
    id, worktree = session["id"], Path(session["worktree"])
    hub.wait_idle(id)
    after_turn(hub, id, 1)
    before = contents(worktree)
    hub.say(id, script(bash(ravage), {"text": "oops"}))
    hub.wait(id)
    for item in hub.show(id)["attention"]:
        if item["kind"] == "permission":
            hub.answer(id, "allow", item=item["id"])
    with hub.reader(after=0, session=id) as reader:
        reader.until(lambda e: e.get("type") == "turn_finished" and e["turn"] == 2)
    assert contents(worktree) != before
    hub.act(id, "rewind", checkpoint="1")
    assert contents(worktree) == before
    assert (worktree / "made/file").stat().st_mode & 0o777 == 0o600
    assert hub.git("rev-parse", "--show-toplevel", cwd=worktree).strip() == os.fspath(worktree)


def test_a_deleted_worktree_comes_back_from_its_last_checkpoint(hub: RunningHub) -> None:
    id, worktree = worked(hub)
    before = contents(worktree)
    worktree.rename(worktree.with_name("moved away"))
    hub.act(id, "rewind", checkpoint="3")
    assert contents(worktree) == before


def test_a_fork_has_files_and_dialogue_of_its_checkpoint_and_leaves_its_origin_alone(
    hub: RunningHub,
) -> None:
    id, worktree = worked(hub, REHEARSAL)
    (worktree / "README.md").write_text("not committed\n")
    before = contents(worktree)
    forked = hub.act(id, "fork", checkpoint="1")
    assert forked["id"] != id
    assert forked["branch"] not in ("", hub.show(id)["branch"])
    place = Path(forked["worktree"])
    hub.wait_idle(forked["id"])
    assert set(contents(place)) - {"README.md", ".gitignore"} == {"one.txt"}
    assert hub.git("branch", "--show-current", cwd=place).strip() == forked["branch"]

    hub.say(forked["id"], script(write("fork.txt"), {"text": "on my own way"}))
    hub.wait_idle(forked["id"])
    dialogue = of_type(hub.events(forked["id"]), "agent_started")[-1]["agent_session"]
    assert "PELICAN" in transcript(hub, dialogue)
    assert "OSPREY" not in transcript(hub, dialogue)
    assert contents(worktree) == before

    now = hub.act(id, "fork")
    hub.wait_idle(now["id"])
    assert contents(Path(now["worktree"])) == before
