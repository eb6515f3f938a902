"""Sessions from the command line, whose agent is the actor."""

from __future__ import annotations

import json
import signal
import stat
from pathlib import Path

import pytest

from tests.support.console import Console
from tests.support.rehearsed import WRITE, new, script
from tests.support.steps import hold


def test_a_session_from_task_to_archive_and_back(trusted: Console) -> None:
    made = new(trusted, WRITE, "--mode", "edits", "--name", "Second file")
    assert made["status"] in ("queued", "preparing", "working")
    slug = made["slug"]
    waited = trusted.json("wait", slug, "--timeout", "100")
    assert [s["status"] for s in waited] == ["idle"]
    worktree = Path(trusted.ok("path", slug).text.rstrip("\n"))
    assert (worktree / "b.txt").read_text(encoding="utf-8") == "two\n"
    diff = trusted.json("diff", slug)
    assert [(f["path"], f["status"], f["added"]) for f in diff["files"]] == [("b.txt", "added", 1)]
    assert "+two" in trusted.ok("diff", slug).text
    assert "b.txt" in trusted.ok("diff", slug, "--stat").text
    assert trusted.json("show", slug[:99])["files_changed"] == 1
    plan = trusted.json("archive", slug, "--dry-run")
    assert (plan["session"], plan["blocked_by"]) == (made["id"], [])
    assert worktree.exists()
    trusted.ok("archive", slug)
    assert not worktree.exists()
    assert trusted.json("ls") == []
    assert [s["status"] for s in trusted.json("ls", "--all")] == ["archived"]
    trusted.ok("restore", made["id"])
    assert (worktree / "b.txt").read_text(encoding="utf-8") == "two\n"


def test_the_log_is_one_event_per_line_in_order(shared: Console) -> None:
    made = new(shared, script({"text": "Hello there."}), "--wait")
    events = [json.loads(line) for line in shared.ok("log", made["id"], "--json").out.splitlines()]
    numbers = [event["seq"] for event in events]
    assert numbers == sorted(set(numbers))
    assert "Hello there." in [e.get("text") for e in events if e["type"] == "agent_message"]
    later = shared.ok("log", made["id"], "--json", "--after", str(numbers[2])).out.splitlines()
    left = [json.loads(line)["seq"] for line in later]
    # What has happened in between follows.
    assert left[: len(numbers) - 3] == numbers[3:]
    assert left == sorted(set(left))
    assert "agent: Hello there.\n" in shared.ok("log", made["id"]).text


def test_following_the_log_shows_what_is_being_said(shared: Console) -> None:
    said = {"text": "one two three four", "chunk_delay": 0.2}
    made = new(shared, script(hold("go"), said), "--mode", "auto")
    child = shared.start("log", made["id"], "--follow", "--json")
    assert child.stdout is not None
    assert child.stderr is not None
    seen = []
    for line in child.stdout:
        seen.append(json.loads(line))
        if seen[-1].get("type") == "tool_called":  # only who listens by then hears it being said
            (Path(made["worktree"]) / "go").touch()
        if seen[-1].get("type") == "turn_finished":
            break
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 130
    child.stdout.close()
    child.stderr.close()
    live = [frame for frame in seen if frame.get("live")]
    assert "".join(f["text"] for f in live if f["type"] == "text_delta").startswith("one")
    assert "one two three four" in [e.get("text") for e in seen if e["type"] == "agent_message"]


def test_a_permission_is_waited_for_shown_and_answered(trusted: Console) -> None:
    assert trusted.run("next").code == 5
    made = new(trusted, WRITE)
    waited = trusted.run("wait", made["slug"], "--json", "--timeout", "100")
    assert waited.code == 6
    (item,) = waited.data[0]["attention"]
    assert item["kind"] == "permission"
    assert trusted.json("next")["id"] == item["id"]
    assert [s["id"] for s in trusted.json("ls", "--attention")] == [made["id"]]
    assert "--allow" in trusted.ok("next").text
    assert trusted.run("answer", made["slug"], "--approve").code == 2
    settled = trusted.json("answer", made["slug"], "--allow")
    assert (settled["id"], settled["options"]) == (item["id"], [])
    trusted.ok("wait", made["slug"], "--timeout", "100")
    assert (Path(made["worktree"]) / "b.txt").exists()


def test_the_same_words_reach_several_sessions(shared: Console) -> None:
    both = [new(shared, script({"text": "One."}), "--wait") for _ in range(2)]
    slugs = [made["slug"] for made in both]
    said = shared.json("say", *slugs, script({"text": "To both."}))
    assert [s["session"] for s in said] == [made["id"] for made in both]
    shared.ok("wait", *slugs, "--timeout", "100")
    for slug in slugs:
        assert shared.json("show", slug)["turn"] == 2
        assert "agent: To both.\n" in shared.ok("log", slug).text


def test_say_steers_or_follows_and_tells_which(shared: Console) -> None:
    made = new(shared, script({"text": "First."}), "--wait")
    said = shared.json("say", made["slug"], script({"text": "Second."}))
    assert said == [{"session": made["id"], "follow_up": False}]
    shared.ok("wait", made["slug"], "--timeout", "100")
    assert "agent: Second.\n" in shared.ok("log", made["slug"]).text


def test_stop_interrupts_a_long_turn(shared: Console) -> None:
    made = new(shared, script({"text": "Slow.", "delay": 200}))
    shared.ok("stop", made["slug"])
    shared.ok("wait", made["slug"], "--timeout", "100")


def test_a_message_of_five_megabytes_arrives(shared: Console) -> None:
    text = "x" * (5 * 1024 * 1024)
    words = ("new", "-", "--agent", "rehearsal", "--name", "Large", "--no-start")
    made = shared.json(*words, stdin=text.encode())
    assert made["title"] == "Large"
    assert made["status"] == "idle"


@pytest.mark.parametrize(
    "title", ["$(id); rm -rf /", "日本語\u3000題", "\u202eevil", "x" * 10_000, "CON", "'\"`"]
)
def test_any_title_is_kept_safely(shared: Console, title: str) -> None:
    made = new(shared, "hello", "--no-start", "--name", title)
    assert made["title"] == title
    assert made["slug"].isascii()
    assert 0 < len(made["slug"]) <= 100
    assert shared.json("show", made["slug"])["id"] == made["id"]


def test_a_title_that_is_far_too_long_is_refused(shared: Console) -> None:
    before = {session["id"] for session in shared.json("ls")}
    refused = shared.run("new", "hello", "--no-start", "--name", "x" * 10_001, "--json")
    assert refused.code == 2
    assert "10001 characters" in refused.error["message"]
    assert {session["id"] for session in shared.json("ls")} == before


def test_an_unknown_name_is_not_found(shared: Console) -> None:
    assert shared.run("show", "nobody", "--json").error["code"] == "not_found"
    assert shared.run("show", "nobody").code == 5


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--agent", "rehearsal", "--base", "nowhere"), "nowhere"),
        (("--agent", "nobody"), "nobody"),
    ],
)
def test_a_wrong_choice_is_one_sentence_and_leaves_no_session(
    trusted: Console, words: tuple[str, ...], named: str
) -> None:
    done = trusted.run("new", "hello", *words, "--json")
    assert done.code in (1, 2, 5)
    assert named in done.error["message"]
    assert trusted.json("ls", "--all") == []


def test_new_starts_the_hub_by_itself(trusted: Console) -> None:
    trusted.ok("down")
    assert new(trusted, "hello", "--no-start")["status"] == "idle"


def test_open_runs_a_terminal_editor_in_the_foreground(
    shared: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = new(shared, "hello", "--no-start")
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/opened\n', encoding="utf-8")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setitem(shared.variables, "EDITOR", f"{editor} --flag")
    shared.ok("open", made["slug"])
    assert (tmp_path / "opened").read_text(encoding="utf-8") == f"--flag {made['worktree']}\n"
    missing = shared.run("open", made["slug"], "--editor", "no-such-editor", "--json")
    assert (missing.code, missing.error["code"]) == (5, "not_found")
