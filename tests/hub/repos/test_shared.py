"""What all worktrees share is kept from agents' mistakes: each loss is told, and comes back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.support.driver import (
    Json,
    RunningHub,
    bash,
    eventually,
    hold,
    script,
)

LOSS = """\
git stash clear
git branch -D keepme
git tag -d v1
git config user.email evil@example.invalid
git reflog expire --expire=now --all
git gc -q --prune=now
"""


def stocked(hub: RunningHub) -> dict[str, str]:
    """The user's own branch, annotated tag and two stash entries, each with work of its own."""
    repo = hub.repo
    hub.git("switch", "-q", "-c", "keepme", cwd=repo)
    (repo / "kept.txt").write_text("kept\n")
    hub.git("add", "-A", cwd=repo)
    hub.git("commit", "-q", "-m", "Mine", cwd=repo)
    hub.git("tag", "-a", "v1", "-m", "The first", cwd=repo)
    hub.git("switch", "-q", "main", cwd=repo)
    for text in ("one", "two"):
        (repo / "README.md").write_text(f"{text}\n")
        hub.git("stash", "push", "-q", "-m", f"it's {text}", cwd=repo)
    return seen(hub)


def seen(hub: RunningHub) -> dict[str, str]:
    refs = hub.git(
        "for-each-ref", "refs/heads/keepme", "refs/heads/main", "refs/tags", cwd=hub.repo
    )
    stash = hub.git("stash", "list", "--format=%H %gs", cwd=hub.repo)
    return {"refs": refs, "stash": stash, "config": (hub.repo / ".git/config").read_text()}


def run_script(hub: RunningHub, text: str, *more: Json) -> str:
    """A session whose agent runs a script that nobody can judge by its name."""
    session = hub.new("x", start=False)
    Path(session["worktree"], "run.sh").write_text(text)
    hub.say(session["id"], script(bash("sh run.sh"), *more, {"text": "done"}))
    return str(session["id"])


def stray(hub: RunningHub, id: str) -> Json:
    with hub.reader(after=0, session=id) as reader:
        raised = reader.until(lambda e: e.get("type") == "attention_raised")
    assert raised["item"]["kind"] == "stray_edit"
    return raised["item"]


def losses(hub: RunningHub, id: str) -> list[Json]:
    """The open items that tell of all that `LOSS` takes: a look in the midst of it sees a part."""

    def told() -> list[Json]:
        items: list[Json] = hub.show(id)["attention"]
        changes = [change["kind"] for item in items for change in item["detail"]["lost"]["changes"]]
        return items if sorted(changes) == ["branch", "config", "stash", "stash", "tag"] else []

    return eventually(told)


def go_back(hub: RunningHub, items: list[Json]) -> None:
    for line in (line for item in items for line in item["detail"]["way_back"]):
        subprocess.run(["sh", "-c", line], env=hub.environment, check=True, cwd="/")


def after_look(hub: RunningHub, id: str) -> None:
    """Returns when the hub has looked at what is shared since the session's last turn ended."""
    ended = [e["at"] for e in hub.events(id) if e["type"] == "turn_finished"][-1]

    def looked() -> bool:
        log = (hub.home.logs / "commands.jsonl").read_text().splitlines()
        traces = [trace for line in log if (trace := json.loads(line))["cwd"] == str(hub.repo)]
        listed = [t["at"] for t in traces if t["argv"][0] == "log" and "refs/stash" in t["argv"]]
        return any(at >= ended for at in listed)

    eventually(looked)


def test_what_a_script_takes_from_everyone_is_told_and_brought_back(hub: RunningHub) -> None:
    before = stocked(hub)
    id = run_script(hub, LOSS)
    items = losses(hub, id)
    slug = hub.show(id)["slug"]
    assert all(f"while {slug} worked" in item["summary"] for item in items)
    text = "\n".join(item["detail"]["text"] for item in items)
    assert "user.email: (unset) → evil@example.invalid" in text
    assert [option["id"] for option in items[0]["options"]] == ["restore", "seen"]
    assert seen(hub) != before
    for item in items:
        hub.answer(id, "restore", item=item["id"])
    assert seen(hub) == before
    assert hub.git("show", "keepme:kept.txt", cwd=hub.repo) == "kept\n"
    assert hub.git("cat-file", "-t", "v1", cwd=hub.repo) == "tag\n"
    hub.wait_idle(id)
    assert any("Brought back" in e.get("text", "") for e in hub.events(id))
    tips = hub.git("for-each-ref", "--format=%(objectname)", cwd=hub.repo).split()
    assert hub.git("fsck", "--no-dangling", "--no-progress", *tips, cwd=hub.repo) == ""


def test_the_way_back_works_when_it_is_pasted_into_a_shell(hub: RunningHub) -> None:
    before = stocked(hub)
    id = run_script(hub, LOSS)
    items = losses(hub, id)
    go_back(hub, items)
    now = seen(hub)
    assert (now["refs"], now["config"]) == (before["refs"], before["config"])
    assert sorted(now["stash"].splitlines()) == sorted(before["stash"].splitlines())
    for item in items:
        hub.answer(id, "seen", item=item["id"])
    hub.wait_idle(id)


def test_going_the_way_back_while_the_agent_works_is_no_loss(hub: RunningHub) -> None:
    before = stocked(hub)
    wait = bash("until [ -e enough ]; do sleep 0.1; done")
    id = run_script(hub, LOSS, wait)
    items = losses(hub, id)
    go_back(hub, items)
    for item in items:
        hub.answer(id, "seen", item=item["id"])
    Path(hub.show(id)["worktree"], "enough").touch()
    hub.wait_idle(id)
    now = seen(hub)
    assert (now["refs"], now["config"]) == (before["refs"], before["config"])
    hub.say(id, script(bash("sh run.sh"), {"text": "done"}))
    losses(hub, id)  # what is lost once more is told once more


def test_a_branch_that_was_moved_back_by_force_comes_back(hub: RunningHub) -> None:
    before = stocked(hub)
    id = run_script(hub, "git update-ref refs/heads/keepme main")
    item = stray(hub, id)
    assert "the branch keepme (moved)" in item["summary"]
    hub.answer(id, "restore", item=item["id"])
    assert seen(hub) == before
    hub.wait_idle(id)
    hub.say(id, script(bash("git log -1"), {"text": "done"}))
    hub.wait_idle(id)  # what a person brought back is not told of again


def test_what_is_checked_out_stays_and_its_work_comes_back_beside_it(hub: RunningHub) -> None:
    stocked(hub)
    hub.git("switch", "-q", "keepme", cwd=hub.repo)
    tip = hub.git("rev-parse", "keepme", cwd=hub.repo).strip()
    id = run_script(hub, f"git -C '{hub.repo}' reset -q --hard main")
    item = stray(hub, id)
    hub.answer(id, "restore", item=item["id"])
    assert hub.git("rev-parse", f"keepme-before-{tip[:8]}", cwd=hub.repo).strip() == tip
    assert hub.git("status", "--porcelain", cwd=hub.repo) == ""
    hub.wait_idle(id)


def test_what_a_person_changes_while_nobody_works_is_nobodys_business(hub: RunningHub) -> None:
    stocked(hub)
    id = hub.new(script({"text": "hello"}))["id"]
    hub.wait_idle(id)
    after_look(hub, id)
    hub.git("branch", "-D", "keepme", cwd=hub.repo)
    hub.git("stash", "drop", "-q", cwd=hub.repo)
    hub.git("config", "user.name", "Somebody", cwd=hub.repo)
    hub.say(
        id,
        script(
            bash("git -c user.name=T -c user.email=t@e commit -q --allow-empty -m Own"),
            {"text": "done"},
        ),
    )
    hub.wait_idle(id)
    hub.say(id, script(bash("git reset -q --hard HEAD~1; git branch new"), {"text": "x"}))
    hub.wait_idle(id)
    assert "attention_raised" not in hub.types(id)


def test_a_branch_made_meanwhile_is_kept_too(hub: RunningHub) -> None:
    """What the user commits while an agent works is kept at its next call."""
    session = hub.new("x", start=False)
    go, on = Path(session["worktree"], "go"), Path(session["worktree"], "on")
    lose = "git branch -D late && git reflog expire --expire=now --all && git gc -q --prune=now"
    Path(session["worktree"], "run.sh").write_text(lose)
    steps = (hold(str(go)), bash("git status"), hold(str(on)), bash("sh run.sh"))
    id = session["id"]
    hub.say(id, script(*steps, {"text": "done"}))
    with hub.reader(after=0, session=id) as reader:
        reader.until(lambda e: e.get("type") == "tool_called")
    hub.git("branch", "late", cwd=hub.repo)
    new = hub.git("commit-tree", "-m", "Late", "late^{tree}", "-p", "late", cwd=hub.repo).strip()
    hub.git("update-ref", "refs/heads/late", new, cwd=hub.repo)
    go.touch()
    kept = "refs/manyhands/shared"
    eventually(lambda: new in hub.git("log", "--format=%P", "--glob", kept, cwd=hub.repo))
    on.touch()
    item = stray(hub, id)
    hub.answer(id, "restore", item=item["id"])
    assert hub.git("rev-parse", "late", cwd=hub.repo).strip() == new
    hub.wait_idle(id)


def test_all_is_kept_beside_a_collector_that_spares_nothing(hub: RunningHub) -> None:
    """It takes what was just written and has no name yet."""
    session = hub.new("x", start=False)
    id, place = session["id"], Path(session["worktree"])
    (place / "make.sh").write_text("git branch $1")
    (place / "lose.sh").write_text("git branch -D $1")
    (place / "collect.sh").write_text(
        "until [ -e enough ]; do git gc -q --prune=now; sleep 0.3; done"
    )
    begin = bash("(sh collect.sh; touch stopped) >/dev/null 2>&1 &")
    makes = [bash(f"sh make.sh new-{n}") for n in range(20)]
    hub.say(id, script(begin, *makes, bash("touch enough"), {"text": "done"}))
    hub.wait_idle(id)
    eventually((place / "stopped").exists)
    assert "attention_raised" not in hub.types(id)
    hub.say(id, script(bash("sh lose.sh new-19"), {"text": "done"}))
    assert "new-19" in stray(hub, id)["summary"]
    hub.wait_attention(id)
    hub.answer(id, "seen")
    hub.wait_idle(id)
    check = ("git", "-C", str(hub.repo), "fsck", "--strict", "--no-dangling")
    fsck = subprocess.run(check, capture_output=True, check=False, text=True)
    assert fsck.returncode == 0, fsck.stdout + fsck.stderr + hub.git("for-each-ref", cwd=hub.repo)


def test_an_entry_that_an_agent_leaves_on_the_stash_is_told_of(hub: RunningHub) -> None:
    stocked(hub)
    before = hub.git("stash", "list", "--format=%H", cwd=hub.repo).split()
    id = run_script(hub, "echo x >> README.md\ngit stash push -q")
    item = stray(hub, id)
    slug = hub.show(id)["slug"]
    assert item["summary"].startswith(f"{slug} left an entry on the stash that all worktrees share")
    (left,) = item["detail"]["stash"]
    assert hub.git("stash", "list", "--format=%H", cwd=hub.repo).split() == [left, *before]
    for line in item["detail"]["way_back"]:
        subprocess.run(["sh", "-c", line], env=hub.environment, check=True, cwd="/")
    worktree = Path(hub.show(id)["worktree"])
    assert (worktree / "README.md").read_text().endswith("x\n")
    hub.answer(id, "seen", item=item["id"])
    hub.wait_idle(id)
    hub.say(id, script(bash("true"), {"text": "still nothing"}))
    hub.wait_idle(id)


def test_what_an_agent_puts_on_the_stash_and_takes_off_again_is_its_own(hub: RunningHub) -> None:
    stocked(hub)
    push, pop = bash("echo x >> README.md; git stash push -q"), bash("git stash pop -q")
    id = hub.new(script(push, pop, {"text": "done"}))["id"]
    hub.wait_idle(id)
    assert "attention_raised" not in hub.types(id)


def is_restorable(item: Json) -> bool:
    return "restore" in [option["id"] for option in item["options"]]


def test_a_config_that_git_cannot_read_is_told_of_and_put_back(hub: RunningHub) -> None:
    before = stocked(hub)
    config = hub.repo / ".git/config"
    id = run_script(hub, f"echo '[core' >> '{config}'")
    # Met in the middle of a look, it is first told that nothing can be kept.
    items = eventually(lambda: list(filter(is_restorable, hub.show(id)["attention"])))
    hub.answer(id, "restore", item=items[0]["id"])
    assert seen(hub) == before
    hub.wait_idle(id)


def test_what_was_lost_while_there_was_no_hub_is_told_by_the_next(
    hub: RunningHub, tmp_path: Path
) -> None:
    before = stocked(hub)
    go, on = tmp_path / "go", tmp_path / "on"
    id = run_script(hub, f"while [ ! -e {go} ]; do sleep 0.05; done\n{LOSS}\ntouch {on}")
    with hub.reader(after=0, session=id) as reader:
        reader.until(lambda e: e.get("type") == "tool_called")
    hub.kill()
    go.touch()
    eventually(on.exists)
    hub.start()
    item = stray(hub, id)
    hub.answer(id, "restore", item=item["id"])
    assert seen(hub) == before
    hub.wait_idle(id)


def test_what_could_not_be_kept_is_told_tried_again_and_settled_by_itself(hub: RunningHub) -> None:
    in_the_way = hub.repo / ".git/refs/manyhands/shared"
    in_the_way.parent.mkdir(exist_ok=True)
    in_the_way.write_text("no folder\n")
    id = hub.new(script(bash("git branch new"), {"text": "done"}))["id"]
    item = stray(hub, id)
    assert "could not be kept" in item["summary"]
    found = [f for f in hub.get("/api/doctor") if f["check"] == "shared"]
    assert [str(hub.repo) in f["detail"] for f in found if not f["ok"]] == [True]
    in_the_way.unlink()
    hub.get("/api/doctor")  # which looks at once
    hub.wait_idle(id)
    assert not [f for f in hub.get("/api/doctor") if f["check"] == "shared" and not f["ok"]]
    hub.git("rev-parse", "--verify", "-q", "refs/heads/new", cwd=hub.repo)
